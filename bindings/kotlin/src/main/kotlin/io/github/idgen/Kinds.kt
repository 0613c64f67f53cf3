package io.github.idgen

import java.nio.ByteBuffer
import java.util.UUID
import kotlin.time.Instant
import kotlin.time.toKotlinInstant
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid

// A kind with settings of its own is added here by hand. The tests compare the kinds with tests/vectors/kinds.json.

// The numbers of the C library.
// begin kinds: scripts/kinds.py --write
private const val V1 = 1
private const val V4 = 4
private const val V6 = 6
private const val V7 = 7
private const val ULID = 10
private const val PREFIXED = 11
private const val FIXED_PREFIX = 12
// end kinds

private fun SettingsOf.fixedPrefix(bits: String) {
    settings.fixed_prefix = text("bits", bits)
}

/**
 * Generates 128-bit ids. All functions may be called from any thread.
 *
 * A single id costs a call of native code. A batch costs one call for all of its ids, so that each of them is several times as cheap.
 *
 * ```
 * UuidGenerator.v7(Options(stateFile = File("ids.state"))).use { ids ->
 *     val id = ids.next() // greater than all ids of earlier runs
 *     val many = ids.batch(1_000)
 * }
 * ```
 *
 * All functions that make ids throw [IdException]: [IdException.ClockBehind], [IdException.TimeOutOfRange], [IdException.Exhausted],
 * [IdException.Entropy] or [IdException.State]. No id is made then. After [close] they throw [IllegalStateException].
 */
public class UuidGenerator private constructor(private val handle: Handle) : AutoCloseable {
    public companion object {
        // begin kinds: scripts/kinds.py --write
        /** UUID version 1: Gregorian time (low bits first), clock sequence, node. */
        @JvmStatic @JvmOverloads
        public fun v1(options: Options = Options()): UuidGenerator = of(V1, options)

        /** UUID version 4: random. A state is refused. */
        @JvmStatic @JvmOverloads
        public fun v4(options: Options = Options()): UuidGenerator = of(V4, options)

        /** UUID version 6: Gregorian time (high bits first), clock sequence, node. Its ids ascend. */
        @JvmStatic @JvmOverloads
        public fun v6(options: Options = Options()): UuidGenerator = of(V6, options)

        /** UUID version 7: Unix milliseconds and their fraction, counter, random tail. Its ids ascend. */
        @JvmStatic @JvmOverloads
        public fun v7(options: Options = Options()): UuidGenerator = of(V7, options)

        /** ULID: Unix milliseconds and 80 bits, without version and variant. Its ids ascend. Their text is that of [Format.BASE32]. */
        @JvmStatic @JvmOverloads
        public fun ulid(options: Options = Options()): UuidGenerator = of(ULID, options)
        // end kinds

        /**
         * UUIDs whose first 16 bits stay the same for an interval, such as "day", "ten-minutes", "week" or "90s". A state is refused if
         * the tail is random.
         */
        @JvmStatic @JvmOverloads
        public fun prefixed(
            prefix: Prefix = Prefix.Sequential(),
            interval: String = "day",
            tail: Tail = Tail.ASCENDING,
            options: Options = Options(),
        ): UuidGenerator = of(PREFIXED, options) { prefixed(prefix, interval, tail) }

        /** UUIDs of version 8 that begin with fixed bits, such as "ffffffff" or "0b101", and then ascend. Of 2^32 random keys, one begins with the default. */
        @JvmStatic @JvmOverloads
        public fun fixedPrefix(bits: String = "ffffffff", options: Options = Options()): UuidGenerator =
            of(FIXED_PREFIX, options) { fixedPrefix(bits) }

        private fun of(kind: Int, options: Options, configure: SettingsOf.() -> Unit = {}): UuidGenerator =
            UuidGenerator(SettingsOf(kind, options).apply(configure).create())
    }

    /** The next id. */
    public fun next(): Uuid = Uuid.fromByteArray(nextBytes())

    /** The next id as a [java.util.UUID]. */
    public fun nextJava(): UUID = ByteBuffer.wrap(nextBytes()).let { UUID(it.long, it.long) }

    /** The next id as 16 bytes. */
    public fun nextBytes(): ByteArray {
        val id = ByteArray(16)
        handle.use { generator -> call { Library.idgen_generator_next(generator, id, it) } }
        return id
    }

    /** So many new ids, in order. */
    public fun batch(count: Int): List<Uuid> = read(count) { high, low -> Uuid.fromLongs(high, low) }

    /** The same as [java.util.UUID]s. */
    public fun batchJava(count: Int): List<UUID> = read(count, ::UUID)

    /** The same as bytes, 16 for each id. */
    public fun batchBytes(count: Int): ByteArray {
        if (count !in 0..MAX_BATCH) throw IdException.Config("a batch has 0 to $MAX_BATCH ids, not $count")
        val ids = ByteArray(16 * count)
        handle.use { generator -> call { Library.idgen_generator_fill(generator, ids, count.toLong(), it) } }
        return ids
    }

    /** The same as texts of a format. */
    @JvmOverloads
    public fun batchTexts(count: Int, format: Format = Format.HYPHENATED): List<String> = format.encodeAll(batchBytes(count))

    private inline fun <T> read(count: Int, id: (high: Long, low: Long) -> T): List<T> {
        val bytes = ByteBuffer.wrap(batchBytes(count))
        return List(count) { id(bytes.long, bytes.long) }
    }

    /** Ends the generator. With a state, it saves the exact position, and then releases the file. */
    override fun close(): Unit = handle.close()
}

/** The size of a batch is limited, because an array has at most 2^31 bytes. */
internal const val MAX_BATCH = 1 shl 24

/**
 * Ids for rows that exist, such as those of a table that gets a key later: each has the time of its row.
 *
 * ```kotlin
 * val ids = RowIds.v7(rows.map { it.createdAt }) // ids[i] is the id of rows[i]
 * ```
 *
 * The times may be in any order, and ids of one time ascend in the order of their rows. The functions throw [IdException.TimeOutOfRange] if the kind
 * cannot hold one of the times.
 */
public object RowIds {
    // begin kinds: scripts/kinds.py --write
    /** Ids of [UuidGenerator.v1], with this node or a random one. */
    public fun v1(times: List<Instant>, node: String? = null): List<Uuid> = of(V1, times, node)

    /** Ids of [UuidGenerator.v1] for Java, with this node or a random one. */
    @JvmStatic
    @JvmOverloads
    public fun v1Java(times: List<java.time.Instant>, node: String? = null): List<UUID> = forJava(times) { v1(it, node) }

    /** Ids of [UuidGenerator.v6], with this node or a random one. */
    public fun v6(times: List<Instant>, node: String? = null): List<Uuid> = of(V6, times, node)

    /** Ids of [UuidGenerator.v6] for Java, with this node or a random one. */
    @JvmStatic
    @JvmOverloads
    public fun v6Java(times: List<java.time.Instant>, node: String? = null): List<UUID> = forJava(times) { v6(it, node) }

    /** Ids of [UuidGenerator.v7]. */
    public fun v7(times: List<Instant>): List<Uuid> = of(V7, times)

    /** Ids of [UuidGenerator.v7] for Java. */
    @JvmStatic
    public fun v7Java(times: List<java.time.Instant>): List<UUID> = forJava(times) { v7(it) }

    /** Ids of [UuidGenerator.ulid]. */
    public fun ulid(times: List<Instant>): List<Uuid> = of(ULID, times)

    /** Ids of [UuidGenerator.ulid] for Java. */
    @JvmStatic
    public fun ulidJava(times: List<java.time.Instant>): List<UUID> = forJava(times) { ulid(it) }
    // end kinds

    /** Ids with fixed first bits, as [UuidGenerator.fixedPrefix] makes them. */
    public fun fixedPrefix(bits: String, times: List<Instant>): List<Uuid> = of(FIXED_PREFIX, times) { fixedPrefix(bits) }

    /** Ids with fixed first bits for Java. */
    @JvmStatic
    public fun fixedPrefixJava(bits: String, times: List<java.time.Instant>): List<UUID> = forJava(times) { fixedPrefix(bits, it) }

    /** Ids of [UuidGenerator.prefixed]. */
    public fun prefixed(prefix: Prefix, interval: String, tail: Tail, times: List<Instant>): List<Uuid> =
        of(PREFIXED, times) { prefixed(prefix, interval, tail) }

    /** Ids of [UuidGenerator.prefixed] for Java. */
    @JvmStatic
    public fun prefixedJava(prefix: Prefix, interval: String, tail: Tail, times: List<java.time.Instant>): List<UUID> =
        forJava(times) { prefixed(prefix, interval, tail, it) }

    private fun of(kind: Int, times: List<Instant>, node: String? = null, configure: SettingsOf.() -> Unit = {}): List<Uuid> {
        if (times.size > MAX_BATCH) throw IdException.Config("a batch has 0 to $MAX_BATCH ids, not ${times.size}")
        val ticks = LongArray(times.size) { ticksOf(times[it]) }
        val bytes = ByteArray(16 * times.size)
        SettingsOf(kind, Options(node = node)).apply(configure).use { settings ->
            call { Library.idgen_ids_at(settings, ticks, bytes, times.size.toLong(), it) }
        }
        val ids = ByteBuffer.wrap(bytes)
        return List(times.size) { Uuid.fromLongs(ids.long, ids.long) }
    }

    private fun forJava(times: List<java.time.Instant>, make: (List<Instant>) -> List<Uuid>): List<UUID> =
        make(times.map { it.toKotlinInstant() }).map { it.toJavaUuid() }
}

/**
 * The smallest and the largest id of a time, for queries such as `WHERE id BETWEEN ? AND ?`.
 *
 * All ids of these times are in the range, and so are the other ids of the first and the last millisecond (100 ns for versions 1 and 6, a second for
 * 64-bit ids). The functions throw [IdException.Config] if the times end before they begin, and [IdException.TimeOutOfRange] if the kind cannot hold
 * them.
 */
public object Bounds {
    // begin kinds: scripts/kinds.py --write
    /** The ids of [UuidGenerator.v1]. They bound a column of swapped bytes: encode them as [Format.SWAPPED]. */
    @JvmStatic
    public fun v1(times: TimeSpan): UuidBounds = of(V1, times)

    /** The ids of [UuidGenerator.v6]. */
    @JvmStatic
    public fun v6(times: TimeSpan): UuidBounds = of(V6, times)

    /** The ids of [UuidGenerator.v7]. */
    @JvmStatic
    public fun v7(times: TimeSpan): UuidBounds = of(V7, times)

    /** The ids of [UuidGenerator.ulid]. */
    @JvmStatic
    public fun ulid(times: TimeSpan): UuidBounds = of(ULID, times)
    // end kinds

    /** The ids with fixed first bits, as [UuidGenerator.fixedPrefix] makes them. */
    @JvmStatic
    public fun fixedPrefix(bits: String, times: TimeSpan): UuidBounds = of(FIXED_PREFIX, times) { fixedPrefix(bits) }

    /**
     * The ids of [UuidGenerator.prefixed]: a range for each interval of the times, in their order. After an ascending tail, a range has the ids of these times
     * only. After a random tail it has all ids of the interval, and those of all other intervals with the same prefix. A keyed prefix takes about
     * 0.2 ms for each interval.
     */
    @JvmStatic
    public fun prefixed(prefix: Prefix, interval: String, tail: Tail, times: TimeSpan): List<UuidBounds> =
        SettingsOf(PREFIXED, Options()).apply { prefixed(prefix, interval, tail) }.use { settings -> pairs(settings, times) }

    /** The 64-bit ids. `short` is a word of Java, where it is `shortIds`. */
    @JvmStatic
    @JvmName("shortIds")
    public fun short(times: TimeSpan): ShortBounds {
        val (first, last) = List(2) { LongArray(1) }
        call { Library.idgen_short_bounds(times.startTicks, times.endTicks, first, last, it) }
        return ShortBounds(first[0].toULong(), last[0].toULong())
    }

    private fun of(kind: Int, times: TimeSpan, configure: SettingsOf.() -> Unit = {}): UuidBounds {
        val (first, last) = List(2) { ByteArray(16) }
        SettingsOf(kind, Options()).apply(configure).use { settings ->
            call { Library.idgen_bounds(settings, times.startTicks, times.endTicks, first, last, it) }
        }
        return UuidBounds(Uuid.fromByteArray(first), Uuid.fromByteArray(last))
    }

    private fun pairs(settings: Settings, times: TimeSpan): List<UuidBounds> {
        val count = LongArray(1)
        var bytes = ByteArray(PAIR * FEW)
        fun find(error: com.sun.jna.Pointer) =
            Library.idgen_prefixed_bounds(settings, times.startTicks, times.endTicks, bytes, (bytes.size / PAIR).toLong(), count, error)
        val error = errorMemory()
        var status = find(error)
        if (status == BUFFER) {
            if (count[0] > MAX_BATCH) throw IdException.Config("the times have ${count[0]} intervals: ask for at most $MAX_BATCH at once")
            bytes = ByteArray(PAIR * count[0].toInt())
            status = find(error)
        }
        if (status != 0) throw exceptionOf(error)
        val ids = ByteBuffer.wrap(bytes)
        fun id() = Uuid.fromLongs(ids.long, ids.long)
        return List(count[0].toInt()) { UuidBounds(id(), id()) }
    }

    private const val PAIR = 32
    private const val FEW = 64
    private const val BUFFER = 9
}
