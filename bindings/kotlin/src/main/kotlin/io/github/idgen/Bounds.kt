package io.github.idgen

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
