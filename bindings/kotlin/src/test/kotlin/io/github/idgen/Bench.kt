package io.github.idgen

import com.github.f4b6a3.uuid.UuidCreator
import java.io.File
import java.lang.management.ManagementFactory
import java.util.UUID
import kotlin.uuid.ExperimentalUuidApi
import kotlin.uuid.Uuid

/** The speed table of docs/offline.md: this package beside others, interleaved, medians. A page as the argument gets the table. */
@OptIn(ExperimentalUuidApi::class)
internal object Bench {
    private const val COUNT = 1_000
    private const val ROUNDS = 60
    private const val WARM_UP = 200

    /** So that no id can be left out. */
    @Volatile private var sink = 0L

    private class Case(val kind: String, val name: String, val one: () -> Long, val batch: () -> List<*>, val single: MutableList<Long> = mutableListOf(), val many: MutableList<Long> = mutableListOf())

    private fun java(kind: String, name: String, one: () -> UUID) =
        Case(kind, name, { one().leastSignificantBits }, { List(COUNT) { one() } })

    /** Nanoseconds of processor time of this thread for each id: other programs do not matter much. */
    private inline fun time(run: () -> Unit): Long {
        val threads = ManagementFactory.getThreadMXBean()
        val before = threads.currentThreadCpuTime
        run()
        return (threads.currentThreadCpuTime - before) / COUNT
    }

    @JvmStatic
    fun main(arguments: Array<String>) {
        val (v4, v7, ulid) = listOf(UuidGenerator.v4(), UuidGenerator.v7(), UuidGenerator.ulid())
        val short = ShortGenerator()
        val cases = listOf(
            java("v4", "UUID.randomUUID", UUID::randomUUID),
            java("v4", "uuid-creator", UuidCreator::getRandomBased),
            Case("v4", "**idgen-keys**", { v4.nextJava().leastSignificantBits }, { v4.batchJava(COUNT) }),
            Case("v7", "Uuid.generateV7", { Uuid.generateV7().toLongs { _, low -> low } }, { List(COUNT) { Uuid.generateV7() } }),
            java("v7", "uuid-creator", UuidCreator::getTimeOrderedEpoch),
            Case("v7", "**idgen-keys**, `Uuid`", { v7.next().toLongs { _, low -> low } }, { v7.batch(COUNT) }),
            Case("v7", "**idgen-keys**, `UUID`", { v7.nextJava().leastSignificantBits }, { v7.batchJava(COUNT) }),
            Case("v7", "**idgen-keys**, text", { Format.HYPHENATED.encode(v7.next()).length.toLong() }, { v7.batchTexts(COUNT) }),
            Case("ULID", "**idgen-keys**, text", { Format.BASE32.encode(ulid.next()).length.toLong() }, { ulid.batchTexts(COUNT, Format.BASE32) }),
            Case("short", "**idgen-keys**", { short.next().toLong() }, { short.batch(COUNT) }),
        )
        // What a call costs that does almost nothing: it reads a number behind a pointer.
        val sources = TestSources(byteArrayOf(1))
        val pointer = sources.handle.living()
        val calls = mutableListOf<Long>()
        for (round in -WARM_UP until ROUNDS) {
            for (case in cases) {
                val single = time { repeat(COUNT) { sink = sink xor case.one() } }
                val many = time { sink = sink xor case.batch().last().hashCode().toLong() }
                if (round >= 0) {
                    case.single += single
                    case.many += many
                }
            }
            val call = time { repeat(COUNT) { sink = sink xor Library.idgen_fixed_time(pointer) } }
            if (round >= 0) calls += call
        }
        fun median(times: List<Long>) = times.sorted()[times.size / 2]
        val model = File("/proc/cpuinfo").readLines().firstOrNull { it.startsWith("model name") }?.substringAfter(": ") ?: "unknown processor"
        val lines = listOf(
            "Java ${System.getProperty("java.version")}, $model, nanoseconds of processor time, median of $ROUNDS interleaved rounds of $COUNT ids. " +
                "A call of native code that does almost nothing takes ${median(calls)}.",
            "",
            "| kind | package | one id | batch of 1,000, per id |",
            "|---|---|---|---|",
        ) + cases.map { "| ${it.kind} | ${it.name} | ${median(it.single)} | ${median(it.many)} |" }
        println(lines.joinToString("\n"))
        arguments.firstOrNull()?.let { page ->
            val (begin, end) = "<!-- begin speed-kotlin -->\n" to "<!-- end speed-kotlin -->"
            val old = File(page).readText()
            require(begin in old && end in old) { "$page has no place for the table" }
            File(page).writeText(old.substringBefore(begin) + begin + lines.joinToString("\n") + "\n" + end + old.substringAfter(end))
        }
    }
}
