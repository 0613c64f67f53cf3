package io.github.idgen

import kotlin.time.Instant
import kotlin.time.toJavaInstant
import kotlin.time.toKotlinInstant

/**
 * The number of a device, and the times whose 64-bit ids it may make with it: a server leases no two devices one number for the same second. The second
 * is part of an id, so ids of different leases differ, whatever the clocks of the devices do.
 *
 * @property number the number of the device, 0 to 65,535
 * @property notBefore the time of the first id; a fraction of a second makes the lease shorter
 * @property notAfter the time of the last id; a fraction counts as its whole second
 */
public data class DeviceLease(val number: Int, val notBefore: Instant, val notAfter: Instant) {
    /** The same with the times of Java. */
    public constructor(number: Int, notBefore: java.time.Instant, notAfter: java.time.Instant) :
        this(number, notBefore.toKotlinInstant(), notAfter.toKotlinInstant())

    init {
        if (number !in 0..0xFFFF) throw IdException.Config("the number of a device is 0 to 65535, not $number")
    }

    /** [notBefore] for Java. */
    public val notBeforeJava: java.time.Instant get() = notBefore.toJavaInstant()

    /** [notAfter] for Java. */
    public val notAfterJava: java.time.Instant get() = notAfter.toJavaInstant()
}
