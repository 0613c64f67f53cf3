package io.github.idgen

import java.util.UUID
import kotlin.time.Instant
import kotlin.time.toKotlinInstant
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid

/**
 * Ids for rows that exist, such as those of a table that gets a key later: each has the time of its row.
 *
 * ```kotlin
 * val ids = RowIds.v7(rows.map { it.createdAt }) // ids[i] is the id of rows[i]
 * ```
 *
 * The times may be in any order, and ids of one time ascend in the order of their rows. The functions throw [IdException.TimeOutOfRange] if the kind
 * cannot hold one of the times.
 */
public object RowIds {
    /** Ids of version 7. */
    public fun v7(times: List<Instant>): List<Uuid> = of(7, times)

    /** Ids of version 7 for Java. */
    @JvmStatic
    public fun v7Java(times: List<java.time.Instant>): List<UUID> = forJava(times) { v7(it) }

    /** ULIDs. Their text is that of [Format.BASE32]. */
    public fun ulid(times: List<Instant>): List<Uuid> = of(10, times)

    /** ULIDs for Java. */
    @JvmStatic
    public fun ulidJava(times: List<java.time.Instant>): List<UUID> = forJava(times) { ulid(it) }

    /** Ids of version 6, with this node or a random one. */
    public fun v6(times: List<Instant>, node: String? = null): List<Uuid> = of(6, times, node)

    /** Ids of version 6 for Java. */
    @JvmStatic
    @JvmOverloads
    public fun v6Java(times: List<java.time.Instant>, node: String? = null): List<UUID> = forJava(times) { v6(it, node) }

    /** Ids of version 1, with this node or a random one. */
    public fun v1(times: List<Instant>, node: String? = null): List<Uuid> = of(1, times, node)

    /** Ids of version 1 for Java. */
    @JvmStatic
    @JvmOverloads
    public fun v1Java(times: List<java.time.Instant>, node: String? = null): List<UUID> = forJava(times) { v1(it, node) }

    /** Ids with fixed first bits, as [UuidGenerator.fixedPrefix] makes them. */
    public fun fixedPrefix(bits: String, times: List<Instant>): List<Uuid> = of(12, times) { settings.fixed_prefix = text("bits", bits) }

    /** Ids with fixed first bits for Java. */
    @JvmStatic
    public fun fixedPrefixJava(bits: String, times: List<java.time.Instant>): List<UUID> = forJava(times) { fixedPrefix(bits, it) }

    /** Ids of [UuidGenerator.prefixed]. */
    public fun prefixed(prefix: Prefix, interval: String, tail: Tail, times: List<Instant>): List<Uuid> =
        of(11, times) { prefixed(prefix, interval, tail) }

    /** Ids of [UuidGenerator.prefixed] for Java. */
    @JvmStatic
    public fun prefixedJava(prefix: Prefix, interval: String, tail: Tail, times: List<java.time.Instant>): List<UUID> =
        forJava(times) { prefixed(prefix, interval, tail, it) }

    private fun of(kind: Int, times: List<Instant>, node: String? = null, configure: SettingsOf.() -> Unit = {}): List<Uuid> {
        if (times.size > MAX_BATCH) throw IdException.Config("a batch has 0 to $MAX_BATCH ids, not ${times.size}")
        val ticks = LongArray(times.size) { ticksOf(times[it]) }
        val bytes = ByteArray(16 * times.size)
        SettingsOf(kind, Options(node = node)).apply(configure).use { settings ->
            call { Library.idgen_ids_at(settings, ticks, bytes, times.size.toLong(), it) }
        }
        val ids = java.nio.ByteBuffer.wrap(bytes)
        return List(times.size) { Uuid.fromLongs(ids.long, ids.long) }
    }

    private fun forJava(times: List<java.time.Instant>, make: (List<Instant>) -> List<Uuid>): List<UUID> =
        make(times.map { it.toKotlinInstant() }).map { it.toJavaUuid() }
}
