package io.github.idgen

import java.util.UUID
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid

/** UUIDs of versions 3, 5 and 8, which follow from what is given: the same name in the same namespace always has the same id. */
public object Named {
    /** The namespace of names of DNS (RFC 9562, section 6.6). */
    @JvmField public val DNS: Uuid = Uuid.parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8")

    /** The namespace of URLs. */
    @JvmField public val URL: Uuid = Uuid.parse("6ba7b811-9dad-11d1-80b4-00c04fd430c8")

    /** The namespace of OIDs. */
    @JvmField public val OID: Uuid = Uuid.parse("6ba7b812-9dad-11d1-80b4-00c04fd430c8")

    /** The namespace of distinguished names of X.500. */
    @JvmField public val X500: Uuid = Uuid.parse("6ba7b814-9dad-11d1-80b4-00c04fd430c8")

    /** The UUID of version 5 of a name in UTF-8: SHA-1. */
    public fun v5(namespace: Uuid, name: String): Uuid = v5(namespace, utf8("a name", name))

    /** The UUID of version 5 of a name: SHA-1. */
    public fun v5(namespace: Uuid, name: ByteArray): Uuid =
        made { id, error -> Library.idgen_v5(namespace.toByteArray(), name, name.size.toLong(), id, error) }

    /** The UUID of version 3 of a name in UTF-8: MD5. Prefer version 5, unless others have ids of version 3. */
    public fun v3(namespace: Uuid, name: String): Uuid = v3(namespace, utf8("a name", name))

    /** The UUID of version 3 of a name: MD5. */
    public fun v3(namespace: Uuid, name: ByteArray): Uuid =
        made { id, error -> Library.idgen_v3(namespace.toByteArray(), name, name.size.toLong(), id, error) }

    /** The UUID of version 8 of 16 bytes of your own, of which version and variant replace six bits. */
    public fun v8(bytes: ByteArray): Uuid {
        if (bytes.size != 16) throw IdException.Config("version 8 is made of 16 bytes, not ${bytes.size}")
        return made { id, error -> Library.idgen_v8(bytes, id, error) }
    }

    /** The UUID of version 5 of a name in UTF-8, as a [java.util.UUID]. */
    @JvmStatic public fun v5Java(namespace: UUID, name: String): UUID = v5(namespace.toKotlinUuid(), name).toJavaUuid()

    /** The UUID of version 3 of a name in UTF-8, as a [java.util.UUID]. */
    @JvmStatic public fun v3Java(namespace: UUID, name: String): UUID = v3(namespace.toKotlinUuid(), name).toJavaUuid()

    /** The UUID of version 8 of 16 bytes, as a [java.util.UUID]. */
    @JvmStatic public fun v8Java(bytes: ByteArray): UUID = v8(bytes).toJavaUuid()

    private inline fun made(function: (id: ByteArray, error: com.sun.jna.Pointer) -> Int): Uuid {
        val id = ByteArray(16)
        call { function(id, it) }
        return Uuid.fromByteArray(id)
    }
}
