package io.github.idgen

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.File
import java.lang.reflect.Modifier
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** The kinds are those of `tests/vectors/kinds.json`, with its settings. */
internal class KindsTest {
    /** The kinds that this package does not have. */
    private val missing = mapOf(
        "week" to "UuidGenerator.prefixed makes these ids, with Prefix.Md5Week and Tail.RANDOM_V4",
        "mysql-short" to "the ids of a server's UUID_SHORT() have no place in an app",
    )
    private val all = vectors("kinds.json").objects("kinds")
    private val kinds = all.filter { it.text("name") !in missing }
    private val node = "9f6bdeced846"

    private fun nameOf(kind: JsonObject) = kind.text("name")!!.replace(Regex("-(.)")) { it.groupValues[1].uppercase() }

    private fun JsonObject.has(list: String, value: String) = getAsJsonArray(list).any { it.asString == value }

    private fun names(kinds: List<JsonObject>) = kinds.map(::nameOf).toSortedSet()

    private fun functions(type: Class<*>, vararg results: Class<*>) =
        type.declaredMethods.filter { Modifier.isPublic(it.modifiers) && it.returnType in results }.map { it.name.substringBefore('$') }.toSortedSet()

    @Test
    fun theFunctionsAreThoseOfTheTable() {
        assertEquals(emptySet<String>(), missing.keys - all.map { it.text("name") })
        val (wide, short) = kinds.partition { it.number("bits") == 128L }
        assertEquals(names(wide), functions(UuidGenerator::class.java, UuidGenerator::class.java))
        assertEquals(setOf("short"), names(short), "ShortGenerator")
        val rows = names(kinds.filter { it.get("rows").asBoolean })
        assertEquals((rows + rows.map { "${it}Java" }).toSortedSet(), functions(RowIds::class.java, List::class.java))
        val bounds = functions(Bounds::class.java, UuidBounds::class.java, ShortBounds::class.java, List::class.java)
        // `short` is a word of Java.
        assertEquals(names(kinds.filter { it.text("bounds") != null }), bounds.map { if (it == "shortIds") "short" else it }.toSortedSet())
    }

    @Test
    fun theSettingsAreThoseOfTheTable(@TempDir folder: File) {
        for (kind in kinds) {
            val name = kind.text("name")!!
            val prefix = if (kind.has("layout", "interval")) "sequential" else "ff"
            val given = JsonParser.parseString("""{"prefix": "$prefix", "interval": "day", "tail": "ascending"}""").asJsonObject
            fun next(options: Options) = generatorOf(name, given, options).use { it.next() }
            fun check(setting: String, options: Options) {
                if (kind.has("settings", setting)) next(options) else assertThrows(IdException.Config::class.java, { next(options) }, "$name: $setting")
            }
            check("node", Options(node = node))
            check("state", Options(stateFile = File(folder, "$name.state")))
            val id = next(Options())
            assertEquals(kind.text("text"), if (kind.number("bits") == 64L) "int" else if (id.length == 26) "base32" else "hyphenated", name)
            kind.number("version")?.let { assertEquals(it.toString(), id.substring(14, 15), name) }
        }
    }
}
