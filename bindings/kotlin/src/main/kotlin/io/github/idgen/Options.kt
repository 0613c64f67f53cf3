package io.github.idgen

import com.sun.jna.Memory
import java.io.File
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/** What a generator does if the clock is behind the last id by more than the tolerance. */
public enum class WhenBehind {
    /**
     * It continues at the time of the clock: ids are unique, but new ones sort before earlier ones. A generator with a state cannot do
     * that, and throws [IdException.ClockBehind].
     */
    RESTART,

    /** It throws [IdException.ClockBehind]. */
    ERROR,

    /** It blocks the thread until the clock has reached the last id. */
    WAIT,
}

/**
 * What all kinds of generators have in common.
 *
 * @property stateFile the state file, or null for no state. It is written ahead: after a crash, ids continue behind those that may have
 *   been returned. One generator at a time can hold it.
 * @property tolerance by how much the clock may be behind while ids continue from the time of the last one; [Duration.INFINITE] for any
 * @property whenBehind what happens beyond the tolerance
 * @property node the node of versions 1 and 6 and of 64-bit ids as twelve hexadecimal digits, or null for a random one
 * @property sources a clock and random bytes for tests, or null for those of the system
 * @property longestWait how long one call may wait, with [WhenBehind.WAIT] or for the next second after 65,536 ids of 64 bits;
 *   [Duration.INFINITE] for any time
 */
public class Options(
    public val stateFile: File? = null,
    public val tolerance: Duration = 10.seconds,
    public val whenBehind: WhenBehind = WhenBehind.RESTART,
    public val node: String? = null,
    public val sources: TestSources? = null,
    public val longestWait: Duration = 60.seconds,
) {
    /** For Java: options with a state file, or without one, and with the defaults of the others. */
    public constructor(stateFile: File?) : this(stateFile, DEFAULT_TOLERANCE)

    /** For Java. A duration of 100 years or more is any. */
    @JvmOverloads
    public constructor(
        stateFile: File?,
        tolerance: java.time.Duration,
        whenBehind: WhenBehind = WhenBehind.RESTART,
        node: String? = null,
        sources: TestSources? = null,
        longestWait: java.time.Duration = java.time.Duration.ofMinutes(1),
    ) : this(stateFile, anyAbove(tolerance), whenBehind, node, sources, anyAbove(longestWait))

    /** [tolerance] for Java, where it is `getTolerance()`: `Long.MAX_VALUE` seconds for [Duration.INFINITE]. */
    @get:JvmName("getTolerance")
    public val toleranceJava: java.time.Duration get() = tolerance.toJavaDuration()

    /** [longestWait] for Java, where it is `getLongestWait()`. */
    @get:JvmName("getLongestWait")
    public val longestWaitJava: java.time.Duration get() = longestWait.toJavaDuration()

    private companion object {
        val DEFAULT_TOLERANCE = 10.seconds
        val ANY: java.time.Duration = java.time.Duration.ofDays(36_525)

        fun anyAbove(given: java.time.Duration): Duration = if (given >= ANY) Duration.INFINITE else given.toKotlinDuration()
    }
}

/** How an interval becomes the first 16 bits of a prefixed id. */
public sealed class Prefix {
    /**
     * The number of the interval modulo 2^[bits], 1 to 16. It does not hide the time. The tag of a named writer, which needs 16 bits and an ascending
     * tail, keeps the rows of each writer together.
     */
    public class Sequential @JvmOverloads constructor(public val bits: Int = 16, public val writer: String? = null) : Prefix()

    /**
     * A keyed permutation: without the secret, which has at least 16 bytes, the prefix does not reveal the interval. Each named writer has
     * one of its own.
     */
    public class Keyed @JvmOverloads constructor(secret: ByteArray, public val writer: String? = null) : Prefix() {
        internal val secret = secret.copyOf()
    }

    /** The prefix that MySQL computes for a week. */
    public class Md5Week(public val utcOffsetSeconds: Int = 0) : Prefix()
}

/** What follows the prefix of a prefixed id. */
public enum class Tail {
    /** Ids of an interval ascend. */
    ASCENDING,

    /** Random bits, with the version field 4. */
    RANDOM_V4,

    /** Random bits, with the version field 8. */
    RANDOM_V8,
}

/** Fills the settings, and keeps the memory to which they point. */
internal class SettingsOf(kind: Int, private val options: Options) {
    val settings: Settings = Settings()
    private val kept = mutableListOf<Memory>()

    init {
        // The function without a size initializes the first settings alone.
        Library.idgen_settings_init_sized(settings, settings.size().toLong(), kind)
        settings.when_behind = options.whenBehind.ordinal
        settings.tolerance_ms = milliseconds("tolerance", options.tolerance)
        settings.longest_wait_ms = milliseconds("longest wait", options.longestWait)
        settings.state_path = options.stateFile?.let { text("stateFile", it.path) }
        settings.node = options.node?.let { text("node", it) }
        val keepsState = options.sources?.keepsState == true && kind != 4 && options.stateFile == null
        settings.fixed_state = if (keepsState) 1 else 0
    }

    private fun milliseconds(name: String, given: Duration): Long {
        if (given.isNegative()) throw IdException.Config("the $name must not be negative, as $given is")
        // All bits set is the largest number of C.
        return if (given.isInfinite()) -1 else given.inWholeMilliseconds
    }

    fun text(name: String, value: String): Memory = bytes(terminated(name, value))

    fun bytes(value: ByteArray): Memory = copied(value).also { kept += it }

    /** The settings of prefixed ids. */
    fun prefixed(prefix: Prefix, interval: String, tail: Tail) {
        settings.interval = text("interval", interval)
        settings.tail = tail.ordinal
        when (prefix) {
            is Prefix.Sequential -> {
                settings.prefix_bits = prefix.bits
                settings.writer = prefix.writer?.let { text("writer", it) }
            }
            is Prefix.Keyed -> {
                settings.prefix = 1
                settings.secret = bytes(prefix.secret)
                settings.secret_length = prefix.secret.size.toLong()
                settings.writer = prefix.writer?.let { text("writer", it) }
            }
            is Prefix.Md5Week -> {
                settings.prefix = 2
                settings.utc_offset_secs = prefix.utcOffsetSeconds
            }
        }
    }

    /** Calls a function that reads the settings, whose memory lives until it returns. */
    fun <T> use(run: (Settings) -> T): T = run(settings).also { kept.clear() }

    fun create(): Handle {
        fun new() = create { Library.idgen_generator_new(settings, it) }
        val pointer = options.sources?.handle?.use { sources ->
            settings.fixed = sources
            new()
        } ?: new()
        // So that the memory lives until here.
        kept.clear()
        return Handle("generator", pointer, Library::idgen_generator_free)
    }
}
