package io.github.idgen

/**
 * Generates 64-bit ids: seconds, 16 bits of a node, 16 bits of a counter. All functions may be called from any thread.
 *
 * An id is an unsigned number. From 2038-01-19 on it exceeds [Long.MAX_VALUE]: a column is `BIGINT UNSIGNED`. In JSON, send it as text
 * ([nextText]), because numbers beyond 2^53 are not exact in JavaScript.
 *
 * Ids are unique as long as no two devices have the same node. The functions throw the exceptions of [UuidGenerator].
 */
public class ShortGenerator @JvmOverloads constructor(options: Options = Options(), lease: DeviceLease? = null) : AutoCloseable {
    private val handle = SettingsOf(13, options).create()

    init {
        try {
            lease?.let(::setLease)
        } catch (error: IdException) {
            // It holds the state file.
            close()
            throw error
        }
    }

    /**
     * Uses the number of a lease as the node. Outside of the lease, functions that make ids throw [IdException.OutsideLease]. Call it again with the
     * renewed lease. If a lease is refused, the one before it stays.
     *
     * Keep a state file beside the lease: without it, a restart after the clock was set back may repeat ids of this device itself. With a
     * lease, a clock that steps back further than the tolerance is an error also with [WhenBehind.RESTART], because a restart takes another node.
     */
    public fun setLease(lease: DeviceLease) {
        // A part of a tick makes the lease shorter at its beginning.
        val (begin, end) = ticksAfter(lease.notBefore) to ticksOf(lease.notAfter)
        handle.use { generator -> call { Library.idgen_generator_set_lease(generator, lease.number.toShort(), begin, end, it) } }
    }

    /** The next id. In Java, it is a `long` of the same bits: `Long.toUnsignedString` writes it. */
    @JvmName("next")
    public fun next(): ULong {
        val id = LongArray(1)
        handle.use { generator -> call { Library.idgen_generator_next_short(generator, id, it) } }
        return id[0].toULong()
    }

    /** The next id as decimal text. */
    public fun nextText(): String = next().toString()

    /** So many new ids, in order. Java calls [batchLongs]. */
    public fun batch(count: Int): List<ULong> = batchLongs(count).map(Long::toULong)

    /** So many new ids, in order, as signed numbers of the same bits. */
    public fun batchLongs(count: Int): LongArray {
        if (count !in 0..MAX_BATCH) throw IdException.Config("a batch has 0 to $MAX_BATCH ids, not $count")
        val ids = LongArray(count)
        handle.use { generator -> call { Library.idgen_generator_fill_short(generator, ids, count.toLong(), it) } }
        return ids
    }

    /** Ends the generator. With a state, it saves the exact position, and then releases the file. */
    override fun close(): Unit = handle.close()
}

/**
 * The fields of a 64-bit id.
 *
 * @property unixSeconds seconds since 1970
 * @property node the 16 bits of the device
 * @property counter the number of the id in its second
 */
public data class ShortFields(val unixSeconds: UInt, val node: UShort, val counter: UShort) {
    /** [unixSeconds] for Java, where it is `getUnixSeconds()`. */
    @get:JvmName("getUnixSeconds")
    public val unixSecondsJava: Long get() = unixSeconds.toLong()

    /** [node] for Java, where it is `getNode()`. */
    @get:JvmName("getNode")
    public val nodeJava: Int get() = node.toInt()

    /** [counter] for Java, where it is `getCounter()`. */
    @get:JvmName("getCounter")
    public val counterJava: Int get() = counter.toInt()
}

/** Reads the decimal text of a 64-bit id. Throws [IdException.Parse] if it is another text. */
@JvmName("parseShort")
public fun parseShort(text: String): ULong {
    val id = LongArray(1)
    val bytes = text.toByteArray()
    call { Library.idgen_short_decode(bytes, bytes.size.toLong(), id, it) }
    return id[0].toULong()
}

/** The fields of a 64-bit id. */
@JvmName("shortFields")
public fun shortFields(id: ULong): ShortFields = ShortFields((id shr 32).toUInt(), (id shr 16).toUShort(), id.toUShort())
