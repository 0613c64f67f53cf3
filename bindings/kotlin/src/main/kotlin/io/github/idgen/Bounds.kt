package io.github.idgen

import java.nio.ByteBuffer
import java.util.UUID
import kotlin.time.Instant
import kotlin.time.toKotlinInstant
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid

/** The times from [start] to the one before [end]. */
public class TimeSpan(public val start: Instant, public val end: Instant) {
    /** The same with the times of Java. */
    public constructor(start: java.time.Instant, end: java.time.Instant) : this(start.toKotlinInstant(), end.toKotlinInstant())

    internal val startTicks: Long get() = ticksOf(start)

    // A part of a tick belongs to the times before the end, unless there are none.
    internal val endTicks: Long get() = if (end <= start) ticksOf(end) else ticksAfter(end)
}

/** The smallest and the largest 128-bit id of a time; both belong to the range. */
public data class UuidBounds(val first: Uuid, val last: Uuid) {
    /** The smallest id for Java. */
    public val firstJava: UUID get() = first.toJavaUuid()

    /** The largest id for Java. */
    public val lastJava: UUID get() = last.toJavaUuid()
}

/** The smallest and the largest 64-bit id of a time; both belong to the range. In Java, they are `long`s of the same bits. */
public data class ShortBounds(
    @get:JvmName("getFirst") val first: ULong,
    @get:JvmName("getLast") val last: ULong,
)

/**
 * The smallest and the largest id of a time, for queries such as `WHERE id BETWEEN ? AND ?`.
 *
 * All ids of these times are in the range, and so are the other ids of the first and the last millisecond (100 ns for versions 1 and 6, a second for
 * 64-bit ids). The functions throw [IdException.Config] if the times end before they begin, and [IdException.TimeOutOfRange] if the kind cannot hold
 * them.
 */
public object Bounds {
    /** The ids of version 7. */
    @JvmStatic
    public fun v7(times: TimeSpan): UuidBounds = of(7, times)

    /** The ULIDs. */
    @JvmStatic
    public fun ulid(times: TimeSpan): UuidBounds = of(10, times)

    /** The ids of version 6. */
    @JvmStatic
    public fun v6(times: TimeSpan): UuidBounds = of(6, times)

    /** The ids of version 1, which bound a column of swapped bytes: encode them as [Format.SWAPPED]. */
    @JvmStatic
    public fun v1(times: TimeSpan): UuidBounds = of(1, times)

    /** The ids with fixed first bits, as [UuidGenerator.fixedPrefix] makes them. */
    @JvmStatic
    public fun fixedPrefix(bits: String, times: TimeSpan): UuidBounds = of(12, times) { settings.fixed_prefix = text("bits", bits) }

    /**
     * The ids of [UuidGenerator.prefixed]: a range for each interval of the times, in their order. After an ascending tail, a range has the ids of these times
     * only. After a random tail it has all ids of the interval, and those of all other intervals with the same prefix. A keyed prefix takes about
     * 0.2 ms for each interval.
     */
    @JvmStatic
    public fun prefixed(prefix: Prefix, interval: String, tail: Tail, times: TimeSpan): List<UuidBounds> =
        SettingsOf(11, Options()).apply { prefixed(prefix, interval, tail) }.use { settings -> pairs(settings, times) }

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

private const val TICKS = 10_000_000L
private const val LAST_SECOND = Long.MAX_VALUE / TICKS - 1

/** [ticksOf] rounded up, so that a part of a unit counts as the whole one. */
internal fun ticksAfter(time: Instant): Long =
    ticksOf(time).let { if (time.nanosecondsOfSecond % 100 == 0 || it == Long.MAX_VALUE) it else it + 1 }

/** A time in units of 100 ns since 1970, or the first or last one of 64 bits. */
internal fun ticksOf(time: Instant): Long = when {
    time.epochSeconds > LAST_SECOND -> Long.MAX_VALUE
    time.epochSeconds < -LAST_SECOND -> Long.MIN_VALUE
    else -> time.epochSeconds * TICKS + time.nanosecondsOfSecond / 100
}
