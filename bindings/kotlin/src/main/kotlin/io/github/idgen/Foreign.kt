package io.github.idgen

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.UUID
import kotlin.time.Clock
import kotlin.time.Instant
import kotlin.time.toJavaInstant
import kotlin.time.toKotlinInstant
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid

/** A kind of id that other programs generate. */
public enum class ForeignKind {
    TYPEID, KSUID, OBJECTID, XID, CUID, CUID2, NANOID, FIREBASE_PUSH_ID, TSID, TWITTER_SNOWFLAKE, DISCORD_SNOWFLAKE, INSTAGRAM_ID, SONYFLAKE
}

/**
 * One reading of a text or a number as the id of another generator.
 *
 * @property kind the generator
 * @property time when the id was made, if it shows that
 * @property id the UUID of a TypeID
 */
public data class ForeignId(val kind: ForeignKind, val time: Instant?, val id: Uuid?) {
    /** The time for Java. */
    public val timeJava: java.time.Instant? get() = time?.toJavaInstant()

    /** The id for Java. */
    public val idJava: UUID? get() = id?.toJavaUuid()
}

/** The kinds of other generators that have the characters of a text; none for most texts. Some texts can be read in two ways. */
public fun foreignTexts(text: String): List<ForeignId> {
    val bytes = text.toByteArray()
    return readings { readings, capacity, count, error ->
        Library.idgen_foreign_texts(bytes, bytes.size.toLong(), readings, capacity, count, error)
    }
}

/**
 * The layouts of 64 bits that give a number a plausible time, the most plausible first: at least a day after the layout's beginning, and at
 * most a day after [now].
 */
public fun foreignNumbers(number: ULong, now: Instant = Clock.System.now()): List<ForeignId> {
    val ticks = ticksOf(now)
    return readings { readings, capacity, count, error ->
        Library.idgen_foreign_numbers(number.toLong(), ticks, readings, capacity, count, error)
    }
}

/** [foreignNumbers] for Java, with a signed number of the same bits. */
public fun foreignNumbersJava(number: Long, now: java.time.Instant): List<ForeignId> = foreignNumbers(number.toULong(), now.toKotlinInstant())

/** The size of `idgen_foreign`, whose fields are read in the order of the header. */
private const val FOREIGN_SIZE = 32
private const val READINGS = 5
private const val TICKS = 10_000_000L

private inline fun readings(
    function: (readings: ByteArray, capacity: Long, count: LongArray, error: com.sun.jna.Pointer) -> Int,
): List<ForeignId> {
    val bytes = ByteArray(FOREIGN_SIZE * READINGS)
    val count = LongArray(1)
    call { function(bytes, READINGS.toLong(), count, it) }
    val seen = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder())
    return List(count[0].toInt()) { number ->
        val at = FOREIGN_SIZE * number
        val (ticks, fields) = seen.getLong(at) to seen.getInt(at + 28)
        ForeignId(
            kind = ForeignKind.entries[seen.getInt(at + 24)],
            time = if (fields and 1 != 0) Instant.fromEpochSeconds(Math.floorDiv(ticks, TICKS), Math.floorMod(ticks, TICKS) * 100) else null,
            id = if (fields and 2 != 0) Uuid.fromByteArray(bytes.sliceArray(at + 8 until at + 24)) else null,
        )
    }
}
