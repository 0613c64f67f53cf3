package io.github.idgen

/** The key of keyed prefixes, for those who look for the rows of a time: from a secret of at least 16 bytes and the name of a writer. */
public class PrefixKey @JvmOverloads constructor(secret: ByteArray, writer: String? = null) : AutoCloseable {
    private val handle: Handle

    init {
        val name = writer?.let { terminated("writer", it) }
        val pointer = create { Library.idgen_prefix_key_new(secret, secret.size.toLong(), name, it) }
        handle = Handle("key", pointer, Library::idgen_prefix_key_free)
    }

    /** The prefix of the interval with this number since 1970. */
    public fun prefix(intervalNumber: Long): Int = number { key, out, error -> Library.idgen_prefix_key_prefix(key, intervalNumber, out, error) }

    /** The tag of the writer after a prefix. Throws [IdException.Config] if the writer has no name. */
    public fun writerTag(prefix: Int): Int {
        if (prefix !in 0..0xFFFF) throw IdException.Config("a prefix is 0 to 65535, not $prefix")
        return number { key, out, error -> Library.idgen_prefix_key_writer_tag(key, prefix.toShort(), out, error) }
    }

    private inline fun number(function: (com.sun.jna.Pointer, ShortArray, com.sun.jna.Pointer) -> Int): Int {
        val out = ShortArray(1)
        handle.use { key -> call { function(key, out, it) } }
        return out[0].toInt() and 0xFFFF
    }

    /** Wipes the secret. */
    override fun close(): Unit = handle.close()
}
