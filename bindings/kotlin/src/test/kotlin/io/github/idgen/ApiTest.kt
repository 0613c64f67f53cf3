package io.github.idgen

import java.io.File
import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import kotlin.concurrent.thread
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.Instant
import kotlin.uuid.Uuid
import kotlin.uuid.toKotlinUuid
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** What people of Kotlin and Java expect of the classes. */
internal class ApiTest {
    @Test
    fun idsOfAllForms() {
        UuidGenerator.v7().use { ids ->
            val all = listOf(ids.next()) + ids.nextJava().toKotlinUuid() + ids.batch(3) + ids.batchJava(3).map { it.toKotlinUuid() }
            assertEquals(all.map { it.toString() }.sorted(), all.map { it.toString() })
            assertEquals(8, all.toSet().size)
            assertTrue(all.all { inspect(it.toString()).version == 7 })
            assertEquals(emptyList<Any>(), ids.batch(0))
            assertEquals(22, ids.batchTexts(2, Format.BASE64URL)[1].length)
        }
    }

    @Test
    fun aStateFileIsContinued(@TempDir folder: Path) {
        val options = Options(stateFile = File(folder.toFile(), "ids.state"), tolerance = Duration.INFINITE)
        val first = UuidGenerator.v7(options).use { ids ->
            assertThrows(IdException.State::class.java) { UuidGenerator.v7(options) }
            ids.next()
        }
        UuidGenerator.v7(options).use { assertTrue(first < it.next()) }
        assertThrows(IdException.State::class.java) { UuidGenerator.ulid(options) }
    }

    /** The examples of RFC 9562, appendix A.2 and A.4, and bytes of one's own. */
    @Test
    fun namesHaveTheirIds() {
        assertEquals("5df41881-3aed-3515-88a7-2f4a814cf09e", Named.v3(Named.DNS, "www.example.com").toString())
        assertEquals("2ed6657d-e927-568b-95e1-2665a8aea6a2", Named.v5(Named.DNS, "www.example.com").toString())
        assertEquals("00112233-4455-8677-8899-aabbccddeeff", Named.v8(Uuid.parse("00112233-4455-6677-8899-aabbccddeeff").toByteArray()).toString())
        assertThrows(IdException.Config::class.java) { Named.v8(ByteArray(15)) }
        assertEquals(4, setOf(Named.DNS, Named.URL, Named.OID, Named.X500).map { Named.v5(it, "") }.toSet().size)
    }

    @Test
    fun aClosedObjectThrows() {
        val ids = UuidGenerator.v4()
        ids.close()
        ids.close()
        assertThrows(IllegalStateException::class.java) { ids.next() }
        assertThrows(IllegalStateException::class.java) { SealKey(ByteArray(16)).apply { close() }.sealAll(emptyList()) }
        val sources = TestSources(byteArrayOf(1)).apply { close() }
        assertThrows(IllegalStateException::class.java) { UuidGenerator.v4(Options(sources = sources)) }
    }

    @Test
    fun mistakesOfACaller() {
        val calls = listOf<() -> Any>(
            { UuidGenerator.v7(Options(node = "9f6bdeced846")) },
            { UuidGenerator.v7(Options(tolerance = (-1).seconds)) },
            { UuidGenerator.v1(Options(node = "a\u0000b")) },
            { UuidGenerator.v4(Options(stateFile = File("ids.state"))) },
            { UuidGenerator.prefixed(Prefix.Keyed(ByteArray(15))) },
            { UuidGenerator.prefixed(Prefix.Sequential(17)) },
            { UuidGenerator.prefixed(interval = "fortnight") },
            { UuidGenerator.fixedPrefix("xyz") },
            { SealKey(ByteArray(15)) },
            { TestSources(ByteArray(0)) },
            { PrefixKey(ByteArray(16)).writerTag(7) },
            { PrefixKey(ByteArray(16), "a").writerTag(65_536) },
            { Format.INT.encodeAll(ByteArray(15)) },
            { UuidGenerator.v4().batch(-1) },
            { UuidGenerator.v4().batch(Int.MAX_VALUE) },
            { ShortGenerator().batch(-1) },
            { inspectKeyed("f12601c8-007b-8000-8100-006789abcdef", "a\u0000b") },
        )
        for ((number, call) in calls.withIndex()) assertThrows(IdException.Config::class.java, { call() }, "call $number")
        assertThrows(IdException.Parse::class.java) { Format.HYPHENATED.decode("\uD800") }
    }

    @Test
    fun manyThreadsUseOneGenerator() {
        val seen = ConcurrentHashMap.newKeySet<ULong>()
        assertThrows(IdException.Config::class.java) { DeviceLease(65_536, Instant.fromEpochSeconds(1), Instant.fromEpochSeconds(2)) }
        ShortGenerator().use { ids ->
            List(4) { thread { repeat(5_000) { seen += ids.next() } } }.forEach(Thread::join)
        }
        assertEquals(20_000, seen.size)
    }
}
