package io.github.idgen

import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.UUID
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Instant
import kotlin.time.toJavaDuration
import kotlin.time.toJavaInstant
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid

/** What kind of id it is. */
public enum class Nature { NIL, MAX, V1, V4, V6, V7, V8, OTHER_VERSION, ULID, OTHER_VARIANT, SHORT }

/**
 * The fields of an id. Those that it does not have are null.
 *
 * @property id the id, unless it has 64 bits
 * @property shortId the id, if it has 64 bits
 * @property format the format of the text
 * @property nature what kind of id it is
 * @property version the version of the UUID
 * @property time when the id was made
 * @property clockSequence the clock sequence of versions 1 and 6
 * @property node the node as twelve hexadecimal digits
 * @property counter the counter
 * @property prefix the first 16 bits, which may be a prefix
 * @property tailTime the time of an ascending tail after a prefix that does not hide the time
 * @property round the round of 65,536 intervals, of an ascending tail after a keyed prefix
 * @property offset the offset in the interval, of an ascending tail after a keyed prefix
 * @property writerTag the tag of a named writer, of an ascending tail after a keyed prefix
 * @property fraction how long after the whole millisecond of its time an id of version 7 or 8 was made, if its generator is one of this library's
 *   present layout, or one of version 7 with the method 3 of RFC 9562 section 6.2
 */
public data class Inspection(
    val id: Uuid?,
    val shortId: ULong?,
    val format: Format?,
    val nature: Nature,
    val version: Int?,
    val time: Instant?,
    val clockSequence: Int?,
    val node: String?,
    val counter: Long?,
    val prefix: Int?,
    val tailTime: Instant?,
    val round: Long?,
    val offset: Duration?,
    val writerTag: Int?,
    val fraction: Duration?,
) {
    /** The id for Java, unless it has 64 bits. */
    public val idJava: UUID? get() = id?.toJavaUuid()

    /** [shortId] for Java, where it is `getShortId()`: a signed number of the same bits. */
    @get:JvmName("getShortId")
    public val shortIdJava: Long? get() = shortId?.toLong()

    /** The time for Java. */
    public val timeJava: java.time.Instant? get() = time?.toJavaInstant()

    /** The time of an ascending tail for Java. */
    public val tailTimeJava: java.time.Instant? get() = tailTime?.toJavaInstant()

    /** [offset] for Java, where it is `getOffset()`. */
    @get:JvmName("getOffset")
    public val offsetJava: java.time.Duration? get() = offset?.toJavaDuration()

    /** [fraction] for Java, where it is `getFraction()`. */
    @get:JvmName("getFraction")
    public val fractionJava: java.time.Duration? get() = fraction?.toJavaDuration()
}

/** Reads the fields of an id of any format. Throws [IdException.Parse] if it is not the text of an id. */
public fun inspect(text: String): Inspection {
    val seen = ByteArray(INSPECTION_SIZE)
    val bytes = text.toByteArray()
    call { Library.idgen_inspect(bytes, bytes.size.toLong(), seen, it) }
    return read(seen)
}

/**
 * The same for an id with an ascending tail after a keyed prefix that changes once every [interval], such as "day". [isNamed] says whether
 * the writer had a name. Throws [IdException.Config] if no keyed prefix can have the interval.
 */
@JvmOverloads
public fun inspectKeyed(text: String, interval: String, isNamed: Boolean = false): Inspection {
    val seen = ByteArray(INSPECTION_SIZE)
    val bytes = text.toByteArray()
    val named: Byte = if (isNamed) 1 else 0
    call { Library.idgen_inspect_keyed(bytes, bytes.size.toLong(), terminated("interval", interval), named, seen, it) }
    return read(seen)
}

/** The size of `idgen_inspection`, whose fields are read in the order of the header. */
private const val INSPECTION_SIZE = 88

private fun read(bytes: ByteArray): Inspection {
    val seen = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder())
    val id = bytes.copyOf(16)
    val fields = seen.getInt(48)
    fun has(flag: Int) = fields and flag != 0
    fun time(offset: Int): Instant {
        val ticks = seen.getLong(offset)
        return Instant.fromEpochSeconds(Math.floorDiv(ticks, TICKS), Math.floorMod(ticks, TICKS) * 100)
    }
    fun unsigned(offset: Int) = seen.getInt(offset).toLong() and 0xFFFF_FFFF
    fun small(offset: Int) = seen.getShort(offset).toInt() and 0xFFFF
    return Inspection(
        id = if (has(1)) null else Uuid.fromByteArray(id),
        shortId = if (has(1)) seen.getLong(16).toULong() else null,
        format = if (has(2)) Format.entries[seen.getInt(52)] else null,
        nature = Nature.entries[seen.getInt(56)],
        version = if (has(4)) bytes[80].toInt() else null,
        time = if (has(8)) time(24) else null,
        clockSequence = if (has(16)) small(68) else null,
        node = if (has(32)) bytes.sliceArray(74..79).toHexString() else null,
        counter = if (has(64)) unsigned(60) else null,
        prefix = if (has(128)) small(70) else null,
        tailTime = if (has(256)) time(32) else null,
        round = if (has(512)) unsigned(64) else null,
        offset = if (has(1024)) seen.getLong(40).milliseconds else null,
        writerTag = if (has(2048)) small(72) else null,
        fraction = if (has(4096)) seen.getInt(84).nanoseconds else null,
    )
}

private const val TICKS = 10_000_000L
