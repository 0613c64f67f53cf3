package io.github.idgen

import java.util.UUID
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid

/** Orders in which other systems store the 16 bytes of an id. */
public enum class IdOrder {
    /** The bytes of a GUID in .NET and SQL Server: the first three fields have their least significant byte first. */
    GUID,

    /** Both halves reversed: what MongoDB's old driver for Java wrote (subtype 3), and what ClickHouse's binary formats hold. */
    JAVA_LEGACY,

    /** The bytes that compare from left to right as Cassandra and ScyllaDB compare a `timeuuid`, which has ids of version 1 alone. */
    TIMEUUID,
    ;

    /** The bytes of an id in this order. */
    public fun encode(id: Uuid): ByteArray = ByteArray(16).also { bytes -> call { Library.idgen_to_order(ordinal, id.toByteArray(), bytes, it) } }

    /** The bytes of a [java.util.UUID] in this order. */
    public fun encode(id: UUID): ByteArray = encode(id.toKotlinUuid())

    /** The id of 16 bytes in this order. Throws [IdException.Parse] for another number of bytes. */
    public fun decode(bytes: ByteArray): Uuid {
        if (bytes.size != 16) throw IdException.Parse("not the bytes of an id: expected 16 bytes, found ${bytes.size}", null)
        val id = ByteArray(16)
        call { Library.idgen_from_order(ordinal, bytes, id, it) }
        return Uuid.fromByteArray(id)
    }

    /** The id of 16 bytes in this order as a [java.util.UUID]. */
    public fun decodeJava(bytes: ByteArray): UUID = decode(bytes).toJavaUuid()
}
