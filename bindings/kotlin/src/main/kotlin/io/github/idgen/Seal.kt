package io.github.idgen

import java.util.UUID
import kotlin.time.Instant
import kotlin.time.toKotlinInstant
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid

/** Turns ids of version 7 into ids that look like version 4, and back: [SealKey] and [SealRing]. Keep the secret on a server. */
public sealed class Sealer(private val handle: Handle) : AutoCloseable {
    /** The sealed id. Throws [IdException.Config] if the id is not of version 7. */
    public fun seal(id: Uuid): Uuid = change(id, Library::idgen_seal_ids)

    /** The sealed id of a [java.util.UUID]. */
    public fun seal(id: UUID): UUID = seal(id.toKotlinUuid()).toJavaUuid()

    /** The id of version 7. Throws [IdException.Config] if the sealed id is not of version 4, or if no key of a ring has sealed it. */
    public fun open(sealed: Uuid): Uuid = change(sealed, Library::idgen_open_ids)

    /** The id of version 7 as a [java.util.UUID]. */
    public fun open(sealed: UUID): UUID = open(sealed.toKotlinUuid()).toJavaUuid()

    /** The sealed ids of many, by one call. */
    public fun sealAll(ids: List<Uuid>): List<Uuid> = change(ids, Library::idgen_seal_ids)

    /** The ids of version 7 of many, by one call. */
    public fun openAll(sealed: List<Uuid>): List<Uuid> = change(sealed, Library::idgen_open_ids)

    /** [sealAll] for [java.util.UUID]s. */
    public fun sealAllJava(ids: List<UUID>): List<UUID> = sealAll(ids.map(UUID::toKotlinUuid)).map(Uuid::toJavaUuid)

    /** [openAll] for [java.util.UUID]s. */
    public fun openAllJava(sealed: List<UUID>): List<UUID> = openAll(sealed.map(UUID::toKotlinUuid)).map(Uuid::toJavaUuid)

    private fun change(id: Uuid, function: Change): Uuid = change(listOf(id), function).single()

    private fun change(ids: List<Uuid>, function: Change): List<Uuid> {
        handle.use {}
        if (ids.size > MAX_BATCH) throw IdException.Config("a batch has 0 to $MAX_BATCH ids, not ${ids.size}")
        val bytes = ByteArray(16 * ids.size)
        ids.forEachIndexed { at, id -> id.toByteArray().copyInto(bytes, 16 * at) }
        handle.use { seal -> call { function(seal, bytes, ids.size.toLong(), it) } }
        return List(ids.size) { Uuid.fromByteArray(bytes.copyOfRange(16 * it, 16 * it + 16)) }
    }

    /** Wipes the secrets. */
    override fun close(): Unit = handle.close()
}

private typealias Change = (com.sun.jna.Pointer, ByteArray, Long, com.sun.jna.Pointer) -> Int

/** A key from a secret of at least 16 bytes. It cannot see that it did not seal an id. */
public class SealKey(secret: ByteArray) :
    Sealer(Handle("key", create { Library.idgen_seal_key_new(secret, secret.size.toLong(), it) }, Library::idgen_seal_free))

/** Several keys. The first one seals all ids, the second one those from its time on, and so on. */
public class SealRing private constructor(private val ring: Handle) : Sealer(ring) {
    /** A ring from the secret of its first key. */
    public constructor(secret: ByteArray) :
        this(Handle("ring", create { Library.idgen_seal_ring_new(secret, secret.size.toLong(), it) }, Library::idgen_seal_free))

    /** Adds the key that seals ids from this time on. The times must ascend. */
    public fun add(from: java.time.Instant, secret: ByteArray): Unit = add(from.toKotlinInstant(), secret)

    /** Adds the key that seals ids from this time on. The times must ascend. */
    public fun add(from: Instant, secret: ByteArray): Unit = ring.use { ring ->
        call { Library.idgen_seal_ring_add(ring, from.toEpochMilliseconds(), secret, secret.size.toLong(), it) }
    }
}
