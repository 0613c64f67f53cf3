package io.github.idgen

import java.math.BigInteger

/**
 * Sources for tests, so that generators return known ids: a clock that stands still at 1970 until it is set, [bytes] in place of random
 * ones, again and again, and a state in memory if [keepsState]. Never use it for real ids: they would be repeated.
 */
public class TestSources @JvmOverloads constructor(bytes: ByteArray, public val keepsState: Boolean = false) : AutoCloseable {
    internal val handle = Handle("source", create { Library.idgen_fixed_new(bytes, bytes.size.toLong(), it) }, Library::idgen_fixed_free)

    /** The time of the clock in units of 100 ns since 1970. A generator that waits moves it. */
    public var ticks: Long
        get() = handle.use { Library.idgen_fixed_time(it) }
        set(value) {
            handle.use { Library.idgen_fixed_set_time(it, value) }
        }

    /** Behaves as if the process was killed: generators that exist now save nothing any more, not even when they are closed. */
    public fun crash() {
        handle.use { Library.idgen_fixed_crash(it) }
    }

    /**
     * The state in memory.
     *
     * @property position a position in the order of the ids of this kind: time and counter
     * @property node the node as twelve hexadecimal digits, or null
     */
    public data class Saved(val position: BigInteger, val node: String?)

    /** The state that was saved last, or null. */
    public val saved: Saved?
        get() {
            val (high, low) = List(2) { LongArray(1) }
            val node = ByteArray(6)
            val found = handle.use { Library.idgen_fixed_saved(it, high, low, node) }
            if (found == 0) return null
            val position = BigInteger(high[0].toULong().toString()).shiftLeft(64).add(BigInteger(low[0].toULong().toString()))
            return Saved(position, if (found == 2) node.toHexString() else null)
        }

    override fun close(): Unit = handle.close()
}
