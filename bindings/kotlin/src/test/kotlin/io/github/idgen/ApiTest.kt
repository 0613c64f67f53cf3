package io.github.idgen

import java.io.File
import java.nio.file.Path
import java.util.Collections
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
            { UuidGenerator.v7(Options(longestWait = (-1).seconds)) },
            { UuidGenerator.v1(Options(node = "a\u0000b")) },
            { UuidGenerator.v4(Options(stateFile = File("ids.state"))) },
            { UuidGenerator.prefixed(Prefix.Keyed(ByteArray(15))) },
            { UuidGenerator.prefixed(Prefix.Sequential(17)) },
            { UuidGenerator.prefixed(interval = "fortnight") },
            { UuidGenerator.fixedPrefix("xyz") },
            { UuidGenerator.prefixed(Prefix.Sequential(8, "writer")) },
            { SealKey(ByteArray(15)) },
            // Their bytes would not fit into an array.
            { SealKey(ByteArray(16)).sealAll(Collections.nCopies(1 shl 27, Uuid.NIL)) },
            // Its bytes would be an id, and those of half a character a question mark.
            { Format.BINARY.decode("0123456789abcdef") },
            { Format.SWAPPED.decode("\uD800".repeat(16)) },
            // Within a unit of 100 ns.
            { Bounds.v7(TimeSpan(Instant.fromEpochSeconds(10, 80), Instant.fromEpochSeconds(10, 20))) },
            { Bounds.v7(TimeSpan(Instant.fromEpochSeconds(10, 50), Instant.fromEpochSeconds(10, 50))) },
            // More ranges than a list has, which are counted at once.
            { Bounds.prefixed(Prefix.Keyed(ByteArray(16)), "1s", Tail.RANDOM_V4, TimeSpan(Instant.fromEpochSeconds(0), Instant.DISTANT_FUTURE)) },
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

    /** The last week of all times ends after the last time that there is. */
    @Test
    fun allTimesHaveAnEnd() {
        val from = Instant.fromEpochSeconds(922_337_203_685 - 21 * 86_400)
        val ranges = Bounds.prefixed(Prefix.Md5Week(), "week", Tail.RANDOM_V4, TimeSpan(from, Instant.DISTANT_FUTURE))
        assertTrue(ranges.size in 3..5, "$ranges")
    }

    /** Only the ids of a writer with a name have its tag. */
    @Test
    fun aWriterOfASequentialPrefix() {
        val ids = listOf(null, "one", "two").map { writer ->
            TestSources(byteArrayOf(1)).use { sources ->
                UuidGenerator.prefixed(Prefix.Sequential(writer = writer), options = Options(sources = sources)).use { it.next() }
            }
        }
        assertEquals(3, ids.toSet().size)
    }

    @Test
    fun theErrorOfAStateNamesTheFile(@TempDir folder: Path) {
        val file = File(folder.toFile().canonicalFile, "ü \n%00#?.state")
        UuidGenerator.v7(Options(file)).use { it.next() }
        val error = assertThrows(IdException.State::class.java) { UuidGenerator.ulid(Options(file)) }
        assertTrue(file.name.replace("\n", "\\n") in error.message!!, error.message)
        UuidGenerator.v7(Options(file)).use { it.next() }
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
