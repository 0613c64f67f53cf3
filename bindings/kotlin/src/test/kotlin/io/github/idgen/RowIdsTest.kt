package io.github.idgen

import java.util.UUID
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Instant
import kotlin.time.toJavaInstant
import kotlin.uuid.Uuid
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** Ids for rows that exist, orders of bytes, and texts that UTF-8 cannot hold. */
internal class RowIdsTest {
    private val noon = Instant.parse("2026-11-21T12:00:00.123Z")

    @Test
    fun eachIdHasTheTimeOfItsRow() {
        val times = List(100) { noon - (it / 2 * 7).days }
        val made = mapOf(
            "v7" to RowIds.v7(times),
            "v6" to RowIds.v6(times, "9f6bdeced846"),
            "v1" to RowIds.v1(times),
            "fixed" to RowIds.fixedPrefix("ff", times),
            "prefixed" to RowIds.prefixed(Prefix.Sequential(), "day", Tail.ASCENDING, times),
        )
        for ((kind, ids) in made) {
            val seen = ids.map { inspect(it.toString()) }
            assertEquals(times.map { it.toEpochMilliseconds() }, seen.map { (it.time ?: it.tailTime)!!.toEpochMilliseconds() }, kind)
            assertEquals(100, ids.toSet().size)
        }
        assertTrue(RowIds.v6(times, "9f6bdeced846").all { it.toString().endsWith("9f6bdeced846") })
        assertTrue(made["v7"]!!.chunked(2).all { (first, second) -> first.toString() < second.toString() })
        assertEquals(times.map { it.toEpochMilliseconds() }, RowIds.ulid(times).map { it.toLongs { high, _ -> high ushr 16 } })
        assertEquals(emptyList<Uuid>(), RowIds.v7(emptyList()))
        val java = times.map { it.toJavaInstant() }
        for (ids in listOf(RowIds.v7Java(java), RowIds.v6Java(java), RowIds.v1Java(java), RowIds.ulidJava(java), RowIds.fixedPrefixJava("ff", java))) {
            assertEquals(100, ids.toSet<UUID>().size)
        }
        assertThrows(IdException.TimeOutOfRange::class.java) { RowIds.v7(listOf(noon, Instant.DISTANT_PAST)) }
        assertThrows(IdException.Config::class.java) { RowIds.v6(listOf(noon + 1.nanoseconds), "no node") }
    }

    @Test
    fun ordersOfBytes() {
        for (vector in vectors("orders.json").objects("orders")) {
            val id = Uuid.parse(vector.text("uuid")!!)
            for (order in IdOrder.entries) {
                // Cassandra refuses other versions than 1 in a timeuuid.
                vector.text(order.name.lowercase())?.let { assertArrayEquals(unhex(it), order.encode(id), "$order $id") }
                assertEquals(id, order.decode(order.encode(id)))
            }
        }
        assertThrows(IdException.Parse::class.java) { IdOrder.GUID.decode(ByteArray(15)) }
        val id = UUID.fromString("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        assertEquals(id, IdOrder.TIMEUUID.decodeJava(IdOrder.TIMEUUID.encode(id)))
    }

    /** They would be question marks, so that different names would have one id. */
    @Test
    fun textsThatUtf8CannotHold() {
        for (text in listOf("\uD800", "a\uDC00b", "\uD83D")) {
            for (call in listOf<() -> Any>({ Named.v5(Named.DNS, text) }, { Named.v3(Named.DNS, text) }, { PrefixKey(ByteArray(16), text) })) {
                val error = assertThrows(IdException.Config::class.java) { call() }
                assertTrue("half of a character" in error.message!!, error.message)
            }
        }
        assertEquals(Named.v5(Named.DNS, "\uD83D\uDE00".toByteArray()), Named.v5(Named.DNS, "\uD83D\uDE00"))
    }
}
