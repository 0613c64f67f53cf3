package io.github.idgen

import java.nio.ByteBuffer
import java.util.UUID
import kotlin.uuid.Uuid

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
        /** UUIDs of version 7: they sort by time. */
        @JvmStatic @JvmOverloads
        public fun v7(options: Options = Options()): UuidGenerator = of(7, options)

        /** UUIDs of version 4: random. A state is refused. */
        @JvmStatic @JvmOverloads
        public fun v4(options: Options = Options()): UuidGenerator = of(4, options)

        /** UUIDs of version 6: as version 1, but sorted by time. */
        @JvmStatic @JvmOverloads
        public fun v6(options: Options = Options()): UuidGenerator = of(6, options)

        /** UUIDs of version 1. */
        @JvmStatic @JvmOverloads
        public fun v1(options: Options = Options()): UuidGenerator = of(1, options)

        /** ULIDs. Their text is that of [Format.BASE32]. */
        @JvmStatic @JvmOverloads
        public fun ulid(options: Options = Options()): UuidGenerator = of(10, options)

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
        ): UuidGenerator = of(11, options) { prefixed(prefix, interval, tail) }

        /** UUIDs of version 8 that begin with fixed bits, such as "ffffffff" or "0b101", and then ascend. Of 2^32 random keys, one begins with the default. */
        @JvmStatic @JvmOverloads
        public fun fixedPrefix(bits: String = "ffffffff", options: Options = Options()): UuidGenerator =
            of(12, options) { settings.fixed_prefix = text("bits", bits) }

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
