package io.github.idgen

import com.google.gson.JsonObject
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.Instant
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The smallest and the largest id of a time. */
internal class BoundsTest {
    private val noon = Instant.parse("2026-11-21T12:00:00.1234567Z")

    private fun instantAt(ticks: Long) = Instant.fromEpochSeconds(Math.floorDiv(ticks, 10_000_000L), Math.floorMod(ticks, 10_000_000L) * 100)

    private fun timesOf(vector: JsonObject) = TimeSpan(instantAt(vector.text("start")!!.toLong()), instantAt(vector.text("end")!!.toLong()))

    private fun found(vector: JsonObject): Pair<String, String> {
        val times = timesOf(vector)
        val ids = when (vector.text("kind")) {
            "short" -> return Bounds.short(times).let { it.first.toString() to it.last.toString() }
            "v1" -> Bounds.v1(times)
            "v6" -> Bounds.v6(times)
            "v7" -> Bounds.v7(times)
            "ulid" -> return Bounds.ulid(times).let { Format.BASE32.encode(it.first) to Format.BASE32.encode(it.last) }
            else -> Bounds.fixedPrefix(vector.getAsJsonObject("settings").text("prefix")!!, times)
        }
        return ids.first.toString() to ids.last.toString()
    }

    private fun check(vector: JsonObject, call: () -> Unit) {
        if (vector.has("error")) VectorsTest().assertFails(vector, call) else call()
    }

    @Test
    fun theSharedVectors() {
        val vectors = vectors("bounds.json")
        // The ids of a server's UUID_SHORT() have no place in an app.
        for (vector in vectors.objects("bounds").filter { it.text("kind") != "mysql-short" }) {
            check(vector) { assertEquals(vector.text("first") to vector.text("last"), found(vector), vector.toString()) }
        }
        for (vector in vectors.objects("prefixed")) {
            val given = vector.getAsJsonObject("settings")
            check(vector) {
                val found = Bounds.prefixed(prefixOf(given), given.text("interval")!!, tailOf(given), timesOf(vector))
                val expected = vector.getAsJsonArray("ranges").map { range -> range.asJsonArray.map { it.asString } }
                assertEquals(expected, found.map { listOf(it.first.toString(), it.last.toString()) }, vector.toString())
            }
        }
    }

    @Test
    fun moreIntervalsThanFitAtFirst() {
        val found = Bounds.prefixed(Prefix.Sequential(), "90s", Tail.ASCENDING, TimeSpan(noon, noon + (90 * 1_000).seconds))
        assertEquals(1_001, found.size)
        assertTrue(found.zipWithNext().all { (before, after) -> before.last.toString() < after.first.toString() })
        val all = TimeSpan(Instant.fromEpochSeconds(0), Instant.parse("2026-11-21T00:00:00Z"))
        val error = assertThrows(IdException.Config::class.java) { Bounds.prefixed(Prefix.Sequential(), "50s", Tail.ASCENDING, all) }
        assertTrue("intervals" in error.message!!, error.message)
    }

    @Test
    fun partsOfATickAndTimesWithoutEnd() {
        val one = Bounds.v6(TimeSpan(noon, noon + 100.nanoseconds))
        assertEquals(one, Bounds.v6(TimeSpan(noon, noon + 1.nanoseconds)))
        assertEquals(one, Bounds.v6(TimeSpan(noon + 99.nanoseconds, noon + 100.nanoseconds)))
        for (times in listOf(TimeSpan(noon, Instant.DISTANT_FUTURE), TimeSpan(Instant.DISTANT_PAST, noon))) {
            assertThrows(IdException.TimeOutOfRange::class.java) { Bounds.v7(times) }
        }
    }
}
