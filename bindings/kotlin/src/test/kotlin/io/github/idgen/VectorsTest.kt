package io.github.idgen

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.File
import java.nio.file.Files
import kotlin.time.Duration
import kotlin.time.Instant
import kotlin.uuid.Uuid
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

/** The vectors that all implementations share, and the random cases that the Rust library prints. */
internal class VectorsTest {
    /** What a call throws must be the error of the vector. */
    fun assertFails(vector: JsonObject, call: () -> Unit) {
        val error = assertThrows(IdException::class.java, call, vector.toString())
        assertEquals(vector.text("error") ?: "parse", categoryOf(error), vector.toString())
        assertEquals(vector.text("message"), error.message)
        if (error is IdException.Parse && vector.text("error") == null) assertEquals(vector.number("offset")?.toInt(), error.offset)
    }

    private fun formatOf(name: String) = Format.valueOf(if (name == "base64sort") "ORDERED64" else name.uppercase())

    private fun checkDecoded(vector: JsonObject) {
        val (format, text) = formatOf(vector.text("format")!!) to vector.text("text")!!
        if (vector.has("message")) assertFails(vector) { format.decode(text) }
        else assertEquals(vector.text("id"), format.decode(text).toString(), vector.toString())
    }

    private fun checkInspection(vector: JsonObject) {
        val text = vector.text("text")!!
        val see = { vector.text("interval")?.let { inspectKeyed(text, it, vector.get("named").asBoolean) } ?: inspect(text) }
        if (vector.has("error")) return assertFails(vector) { see() }
        val seen = see()
        val expected = vector.deepCopy().apply { listOf("text", "interval", "named", "time", "tail_time").forEach(::remove) }
        assertEquals(expected, fieldsOf(seen), vector.toString())
        assertEquals(instantOf(vector.text("time")), seen.time, vector.toString())
        assertEquals(instantOf(vector.text("tail_time")), seen.tailTime, vector.toString())
    }

    private fun checkForms(id: Uuid, forms: JsonObject) {
        for ((name, form) in forms.entrySet()) {
            if (name == "section" || name == "uuid") continue
            val format = formatOf(name)
            if (!format.isText) {
                assertArrayEquals(unhex(form.asString), format.encodeToBytes(id))
                assertEquals(id, format.decode(unhex(form.asString)))
                assertThrows(IdException.Config::class.java) { format.encode(id) }
                continue
            }
            assertEquals(form.asString, format.encode(id))
            assertEquals(listOf(form.asString, form.asString), format.encodeAll(id.toByteArray() + id.toByteArray()))
            assertEquals(id, format.decode(form.asString))
        }
    }

    @Test
    fun generators() {
        for (vector in vectors("generators.json").objects("generators")) {
            // The ids of a server's UUID_SHORT() have no place in an app.
            if (vector.text("kind") != "mysql-short") assertEquals(vector.get("steps"), replay(vector), vector.text("name"))
        }
    }

    @Test
    fun leases() {
        val file = vectors("leases.json")
        for (vector in file.objects("generators")) assertEquals(vector.get("steps"), replay(vector), vector.text("name"))
        for (vector in file.objects("leases")) {
            if (vector.has("error")) {
                assertFails(vector) { ShortGenerator(Options(), leaseOf(vector)) }
                continue
            }
            TestSources(byteArrayOf(7)).use { sources ->
                val options = Options(tolerance = Duration.INFINITE, sources = sources)
                val (first, last) = listOf("first_sec", "last_sec").map { vector.number(it)!! }
                for (second in listOf(first, last)) {
                    sources.ticks = second * 10_000_000
                    val id = ShortGenerator(options, leaseOf(vector)).use { it.next() }
                    assertEquals(vector.number("number"), shortFields(id).node.toLong(), vector.toString())
                }
                for (second in listOf(first - 1, last + 1).filter { it in 1..0xFFFF_FFFF }) {
                    sources.ticks = second * 10_000_000
                    ShortGenerator(options, leaseOf(vector)).use { ids -> assertThrows(IdException.OutsideLease::class.java) { ids.next() } }
                }
            }
        }
    }

    @Test
    fun codecs() {
        val codecs = vectors("codecs.json")
        for (forms in codecs.objects("ids")) checkForms(Uuid.fromByteArray(unhex(forms.text("binary")!!)), forms)
        for (vector in codecs.objects("accepted") + codecs.objects("refused")) checkDecoded(vector)
        for (vector in codecs.objects("detected")) {
            if (vector.has("message")) {
                assertFails(vector) { Format.detect(vector.text("text")!!) }
                continue
            }
            val expected = Format.Detected(formatOf(vector.text("format")!!), Uuid.parse(vector.text("id")!!))
            assertEquals(expected, Format.detect(vector.text("text")!!))
        }
        for (vector in codecs.objects("short")) {
            val text = vector.text("text")!!
            if (vector.has("message")) {
                assertFails(vector) { parseShort(text) }
                continue
            }
            val device = vector.getAsJsonObject("device")
            val (seconds, node, counter) = listOf("unix_secs", "node", "counter").map { device.number(it)!! }
            assertEquals(text, parseShort(text).toString())
            assertEquals(ShortFields(seconds.toUInt(), node.toUShort(), counter.toUShort()), shortFields(parseShort(text)))
        }
        val encodings = vectors("encodings.json")
        for (vector in encodings.objects("valid")) checkForms(Uuid.parse(vector.text("uuid")!!), vector)
        for (vector in encodings.objects("invalid")) {
            val call = { formatOf(vector.text("format")!!).decode(vector.text("text")!!) }
            val error = assertThrows(IdException.Parse::class.java, { call() }, vector.toString())
            assertEquals(vector.number("offset")?.toInt(), error.offset, vector.toString())
        }
    }

    @Test
    fun inspections() {
        val inspections = vectors("inspections.json")
        for (vector in inspections.objects("inspections") + inspections.objects("keyed")) checkInspection(vector)
    }

    @Test
    fun idsOfOtherGenerators() {
        val inspections = vectors("inspections.json")
        for (vector in inspections.objects("foreign_texts")) assertEquals(readings(vector), foreignTexts(vector.text("text")!!), vector.toString())
        for (vector in inspections.objects("foreign_numbers")) {
            val now = Instant.parse(vector.text("now")!!)
            assertEquals(readings(vector), foreignNumbers(vector.text("number")!!.toULong(), now), vector.toString())
        }
    }

    private fun readings(vector: JsonObject) = vector.objects("readings").map {
        val kind = ForeignKind.valueOf(it.text("kind")!!.uppercase().replace('-', '_'))
        ForeignId(kind, it.text("time")?.let(Instant::parse), it.text("uuid")?.let(Uuid::parse))
    }

    private fun checkAnswers(key: Sealer, answers: List<JsonObject>) {
        for (answer in answers) {
            val seals = answer.text("do") == "seal"
            val given = Uuid.parse(answer.text(if (seals) "id" else "sealed")!!)
            val change: (Uuid) -> Uuid = if (seals) key::seal else key::open
            if (answer.has("error")) {
                assertFails(answer) { change(given) }
                continue
            }
            assertEquals(answer.text(if (seals) "sealed" else "id"), change(given).toString())
            val sealed = Uuid.parse(answer.text("sealed")!!)
            assertEquals(answer.text("id"), key.open(sealed).toString())
            assertEquals(key.sealAll(key.openAll(listOf(sealed, sealed))), listOf(sealed, sealed).map { key.seal(key.open(it)) })
        }
    }

    @Test
    fun sealedIds() {
        val seals = vectors("seals.json")
        for (vector in seals.objects("keys")) {
            val secret = unhex(vector.text("secret")!!)
            if (vector.has("error")) assertFails(vector) { SealKey(secret) }
            else SealKey(secret).use { checkAnswers(it, vector.objects("answers")) }
        }
        for (vector in seals.objects("rings")) {
            val secrets = vector.getAsJsonArray("secrets").map { unhex(it.asString) }
            val times = vector.getAsJsonArray("from_unix_ms").map { Instant.fromEpochMilliseconds(it.asLong) }
            SealRing(secrets[0]).use { ring ->
                val add = { times.forEachIndexed { at, from -> ring.add(from, secrets[at + 1]) } }
                if (vector.has("error")) {
                    assertFails(vector) { add() }
                } else {
                    add()
                    checkAnswers(ring, vector.objects("answers"))
                }
            }
        }
    }

    @Test
    fun stateFiles() {
        val folder = Files.createTempDirectory("idgen-kotlin").toFile()
        val states = vectors("states.json")
        for (vector in states.objects("written")) {
            val file = File(folder, "written").apply { writeText(vector.text("text")!!) }
            generatorOf(vector.text("kind")!!, JsonObject(), Options(stateFile = file)).close()
        }
        for (vector in states.objects("damaged")) {
            val file = File(folder, "damaged").apply { writeText(vector.text("text")!!) }
            val error = assertThrows(IdException.State::class.java) { UuidGenerator.v7(Options(stateFile = file)) }
            assertFalse(error.message!!.isEmpty())
        }
        folder.deleteRecursively()
    }

    @Test
    fun keyedPrefixes() {
        val prefixed = vectors("prefixed.json")
        fun key(vector: JsonObject) = PrefixKey(vector.text("secret")!!.toByteArray(), vector.text("writer"))
        for (vector in prefixed.objects("keyed_prefix")) {
            key(vector).use { assertEquals(vector.number("prefix"), it.prefix(vector.number("number")!!).toLong()) }
        }
        for (vector in prefixed.objects("writer_tag")) {
            key(vector).use { assertEquals(vector.number("tag"), it.writerTag(vector.number("prefix")!!.toInt()).toLong()) }
        }
    }

    @Test
    fun randomCases() {
        val cases = System.getenv("IDGEN_CASES_FILE") ?: throw AssertionError("run scripts/kotlin.sh test, which sets IDGEN_CASES_FILE")
        var count = 0
        File(cases).forEachLine { line ->
            val vector = JsonParser.parseString(line).asJsonObject
            when {
                vector.has("steps") -> assertEquals(vector.get("steps"), replay(vector), line)
                vector.has("secret") -> SealKey(unhex(vector.text("secret")!!)).use {
                    assertEquals(vector.text("sealed"), it.seal(Uuid.parse(vector.text("id")!!)).toString())
                }
                vector.has("nature") || vector.has("error") -> checkInspection(vector)
                else -> checkDecoded(vector)
            }
            count++
        }
        println("$count random cases agree with the Rust library")
        assertEquals(System.getenv("IDGEN_CASES").toInt(), count)
    }
}
