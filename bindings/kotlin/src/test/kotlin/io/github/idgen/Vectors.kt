package io.github.idgen

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import com.google.gson.JsonPrimitive
import java.io.File
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Instant

/** Reads `tests/vectors` and replays generators: its README describes the files. */
internal fun vectors(name: String): JsonObject =
    JsonParser.parseString(File("../../tests/vectors/$name").readText()).asJsonObject

internal fun JsonObject.text(name: String): String? = get(name)?.takeIf { it.isJsonPrimitive }?.asString
internal fun JsonObject.number(name: String): Long? = get(name)?.takeIf { it.isJsonPrimitive }?.asLong
internal fun JsonObject.objects(name: String): List<JsonObject> = getAsJsonArray(name).map { it.asJsonObject }
internal fun unhex(text: String): ByteArray = text.hexToByteArray()

/** The category of an error in the files. */
internal fun categoryOf(error: IdException): String = when (error) {
    is IdException.Parse -> "parse"
    is IdException.ClockBehind -> "clock-behind"
    is IdException.TimeOutOfRange -> "time-out-of-range"
    is IdException.Exhausted -> "exhausted"
    is IdException.Entropy -> "entropy"
    is IdException.State -> "state"
    is IdException.Config -> "config"
    is IdException.Forked -> "forked"
    is IdException.OutsideLease -> "outside-lease"
    is IdException.Bug -> "bug"
}

/** A generator of either width, whose ids are texts. */
internal class Texts(
    val next: () -> String,
    val batch: (Int) -> List<String>,
    /** Drops so many ids. */
    val skip: (Int) -> Unit,
    val end: () -> Unit,
    val setLease: (DeviceLease) -> Unit = { throw AssertionError("only 64-bit ids have leases") },
) : AutoCloseable {
    override fun close() = end()
}

internal fun generatorOf(kind: String, given: JsonObject, options: Options, lease: DeviceLease? = null): Texts {
    if (kind == "short") {
        val ids = ShortGenerator(options, lease)
        return Texts(ids::nextText, { ids.batch(it).map(ULong::toString) }, { ids.batch(it) }, ids::close, ids::setLease)
    }
    val ids = when (kind) {
        "v1" -> UuidGenerator.v1(options)
        "v4" -> UuidGenerator.v4(options)
        "v6" -> UuidGenerator.v6(options)
        "v7" -> UuidGenerator.v7(options)
        "ulid" -> UuidGenerator.ulid(options)
        "fixed-prefix" -> UuidGenerator.fixedPrefix(given.text("prefix")!!, options)
        "prefixed" -> {
            UuidGenerator.prefixed(prefixOf(given), given.text("interval")!!, tailOf(given), options)
        }
        else -> throw AssertionError("no kind $kind")
    }
    val format = if (kind == "ulid") Format.BASE32 else Format.HYPHENATED
    return Texts({ format.encode(ids.next()) }, { ids.batchTexts(it, format) }, { ids.batchBytes(it) }, ids::close)
}

internal fun prefixOf(given: JsonObject): Prefix = when (given.text("prefix")) {
    "keyed" -> Prefix.Keyed(unhex(given.text("secret")!!), given.text("writer"))
    "md5-week" -> Prefix.Md5Week(given.number("utc_offset_secs")?.toInt() ?: 0)
    else -> Prefix.Sequential(given.number("bits")?.toInt() ?: 16)
}

internal fun tailOf(given: JsonObject): Tail = Tail.valueOf(given.text("tail")!!.uppercase().replace('-', '_'))

internal fun leaseOf(given: JsonObject): DeviceLease {
    val (begin, end) = listOf("not_before", "not_after").map { given.text(it)!!.toLong() }
    fun time(ticks: Long) = Instant.fromEpochSeconds(Math.floorDiv(ticks, 10_000_000), Math.floorMod(ticks, 10_000_000L) * 100)
    return DeviceLease(given.number("number")!!.toInt(), time(begin), time(end))
}

/** Runs the steps of a case, and returns them with their results in the form of the file. */
internal fun replay(case: JsonObject): JsonArray {
    val given = case.getAsJsonObject("settings")
    val keepsState = case.get("state").asBoolean
    val steps = JsonArray()
    TestSources(unhex(case.text("entropy")!!), keepsState).use { sources ->
        val options = Options(
            tolerance = given.number("tolerance_ms")?.milliseconds ?: Options().tolerance,
            whenBehind = WhenBehind.valueOf((given.text("when_behind") ?: "restart").uppercase()),
            node = given.text("node"),
            sources = sources,
            longestWait = given.number("longest_wait_ms")?.milliseconds ?: Options().longestWait,
        )
        var generator: Texts? = null
        var lease: DeviceLease? = null
        for (step in case.objects("steps")) {
            val done = JsonObject()
            val op = step.text("op")!!
            step.get("clock")?.let {
                done.add("clock", it)
                sources.ticks = it.asLong
            }
            step.get("count")?.let { done.add("count", it) }
            step.get("lease")?.let { done.add("lease", it) }
            done.addProperty("op", op)
            val before = sources.ticks
            try {
                if (op == "close" || op == "crash") {
                    if (op == "crash") sources.crash()
                    generator?.close()
                    generator = null
                } else {
                    val count = step.number("count")!!.toInt()
                    step.getAsJsonObject("lease")?.let(::leaseOf)?.let { renewed ->
                        // It outlives the generator, and a refused one changes nothing.
                        generator?.setLease(renewed) ?: ShortGenerator(Options(), renewed).close()
                        lease = renewed
                    }
                    val ids = generator ?: generatorOf(case.text("kind")!!, given, options, lease).also { generator = it }
                    val texts = when (op) {
                        "next" -> List(count) { ids.next() }
                        "fill" -> ids.batch(count)
                        else -> null.also { for (left in count downTo 1 step PIECE) ids.skip(minOf(left, PIECE)) }
                    }
                    texts?.let { done.add("ids", JsonArray().apply { it.forEach(::add) }) }
                }
            } catch (error: IdException) {
                done.addProperty("error", categoryOf(error))
                done.addProperty("message", error.message)
            }
            if (sources.ticks != before) done.addProperty("clock_after", sources.ticks.toString())
            if (keepsState) done.add("saved", savedOf(sources.saved))
            steps.add(done)
        }
        generator?.close()
    }
    return steps
}

private const val PIECE = 1 shl 16

private fun savedOf(saved: TestSources.Saved?): JsonElement {
    if (saved == null) return JsonNull.INSTANCE
    return JsonObject().apply {
        addProperty("position", saved.position.toString())
        add("node", saved.node?.let(::JsonPrimitive) ?: JsonNull.INSTANCE)
    }
}

/** An inspection in the form of the files, without its times. */
internal fun fieldsOf(seen: Inspection): JsonObject = JsonObject().apply {
    addProperty("id", (seen.id ?: seen.shortId).toString())
    seen.format?.let { addProperty("format", it.name.lowercase()) }
    addProperty("nature", seen.nature.name.lowercase().replace('_', '-'))
    seen.version?.let { addProperty("version", it) }
    seen.clockSequence?.let { addProperty("clock_sequence", it) }
    seen.node?.let { addProperty("node", it) }
    seen.counter?.let { addProperty("counter", it) }
    seen.prefix?.let { addProperty("prefix", it) }
    seen.round?.let { addProperty("round", it) }
    seen.offset?.let { addProperty("offset_ms", it.inWholeMilliseconds) }
    seen.writerTag?.let { addProperty("writer_tag", it) }
    seen.fraction?.let { addProperty("fraction_ns", it.inWholeNanoseconds) }
}

/** The time of a vector, where years beyond 9999 have no sign. */
internal fun instantOf(text: String?): Instant? = text?.let { Instant.parse(if (it.indexOf('-') > 4) "+$it" else it) }
