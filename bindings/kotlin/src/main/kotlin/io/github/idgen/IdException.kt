package io.github.idgen

/**
 * Why an id could not be made, read or restored.
 *
 * The message says what was wrong, with which value, and what to do.
 */
public sealed class IdException(message: String) : RuntimeException(message) {
    /**
     * A text is not an id of the format.
     *
     * @property offset the offset of the first wrong byte of the text in UTF-8, or null if no single byte is wrong
     */
    public class Parse internal constructor(message: String, public val offset: Int?) : IdException(message)

    /** The clock is behind the last id by more than the tolerance. */
    public class ClockBehind internal constructor(message: String) : IdException(message)

    /** The kind of id cannot hold the time of the clock. */
    public class TimeOutOfRange internal constructor(message: String) : IdException(message)

    /** All ids of this second, or all clock sequences of a fixed node, are used. */
    public class Exhausted internal constructor(message: String) : IdException(message)

    /** The system provides no random bytes. */
    public class Entropy internal constructor(message: String) : IdException(message)

    /** The state file cannot be read, understood, locked or written. */
    public class State internal constructor(message: String) : IdException(message)

    /** A setting or an argument is not allowed. */
    public class Config internal constructor(message: String) : IdException(message)

    /** The process was forked, and the generator would repeat the ids of the parent. */
    public class Forked internal constructor(message: String) : IdException(message)

    /** The number of the device is leased for other times than that of the clock: see [DeviceLease]. */
    public class OutsideLease internal constructor(message: String) : IdException(message)

    /** A bug in idgen. */
    public class Bug internal constructor(message: String) : IdException(message)
}
