package io.github.idgen

import java.util.UUID
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid

/** Texts and other forms of 128-bit ids. A decoder accepts exactly what the encoder writes, apart from the case of digits. */
public enum class Format {
    /** 36 characters. */
    HYPHENATED,

    /** 32 hexadecimal digits. */
    SIMPLE,

    /** 45 characters: `urn:uuid:` and the hyphenated form. */
    URN,

    /** 38 characters: the hyphenated form in braces. */
    BRACED,

    /** 22 characters, MySQL's `TO_BASE64()`. */
    BASE64,

    /** 22 characters for URLs. */
    BASE64URL,

    /** 22 characters that sort like the bytes. */
    ORDERED64,

    /** 26 characters, the text of a ULID. */
    BASE32,

    /** 26 characters of RFC 4648, padded at the end. */
    BASE32HEX,

    /** 26 characters of Crockford's alphabet, padded at the end. */
    BASE32HUMAN,

    /** 16 bytes of MySQL's `UUID_TO_BIN(u, 1)`. */
    SWAPPED,

    /** Up to 39 decimal digits. */
    INT,

    /** 16 bytes. */
    BINARY,
    ;

    /** False for [SWAPPED] and [BINARY], which are bytes. */
    public val isText: Boolean get() = this != SWAPPED && this != BINARY

    /** The text of an id. Throws [IdException.Config] for a format that is no text. */
    public fun encode(id: Uuid): String {
        requireText()
        return String(encodeToBytes(id), Charsets.ISO_8859_1)
    }

    /** The text of a [java.util.UUID]. */
    public fun encode(id: UUID): String = encode(id.toKotlinUuid())

    /** The form of an id as bytes, those of the text in ASCII if the format is a text. */
    public fun encodeToBytes(id: Uuid): ByteArray {
        val text = ByteArray(TEXT_SIZE)
        val length = LongArray(1)
        call { Library.idgen_encode(ordinal, id.toByteArray(), text, TEXT_SIZE.toLong(), length, it) }
        return text.copyOf(length[0].toInt())
    }

    /** The form of a [java.util.UUID] as bytes. */
    public fun encodeToBytes(id: UUID): ByteArray = encodeToBytes(id.toKotlinUuid())

    /** The texts of many ids, of 16 bytes each, by one call. */
    public fun encodeAll(ids: ByteArray): List<String> {
        requireText()
        if (ids.size % 16 != 0) throw IdException.Config("ids have 16 bytes each, so ${ids.size} bytes are no ids")
        val count = ids.size / 16
        if (count > MAX_BATCH) throw IdException.Config("a batch has 0 to $MAX_BATCH ids, not $count")
        val text = ByteArray(TEXT_SIZE * count)
        val length = LongArray(1)
        call { Library.idgen_encode_lines(ordinal, ids, count.toLong(), text, text.size.toLong(), length, it) }
        var start = 0
        return List(count) {
            var end = start
            while (text[end] != LINE_BREAK) end++
            String(text, start, end - start, Charsets.ISO_8859_1).also { start = end + 1 }
        }
    }

    /**
     * The id of a text. Throws [IdException.Parse] if the text is not of this format, and [IdException.Config] for a format that is no text: its 16
     * bytes in UTF-8 would be an id.
     */
    public fun decode(text: String): Uuid {
        if (!isText) throw IdException.Config("$this is no text: decode its bytes")
        return decode(text.toByteArray())
    }

    /** The id of a text in UTF-8, or of the 16 bytes of [SWAPPED] and [BINARY]. */
    public fun decode(bytes: ByteArray): Uuid {
        val id = ByteArray(16)
        call { Library.idgen_decode(ordinal, bytes, bytes.size.toLong(), id, it) }
        return Uuid.fromByteArray(id)
    }

    /** The id of a text as a [java.util.UUID]. */
    public fun decodeJava(text: String): UUID = decode(text).toJavaUuid()

    /** The id of bytes as a [java.util.UUID]. */
    public fun decodeJava(bytes: ByteArray): UUID = decode(bytes).toJavaUuid()

    private fun requireText() {
        if (!isText) throw IdException.Config("$this is no text: call encodeToBytes")
    }

    /**
     * A text whose format was detected.
     *
     * @property format the format
     * @property id the id
     */
    public data class Detected(val format: Format, val id: Uuid) {
        /** The id as a [java.util.UUID]. */
        public val idJava: UUID get() = id.toJavaUuid()
    }

    public companion object {
        private const val TEXT_SIZE = 46
        private const val LINE_BREAK = '\n'.code.toByte()

        /** Detects the format of a text, and decodes it. Throws [IdException.Parse] if several formats could have written it. */
        @JvmStatic
        public fun detect(text: String): Detected {
            val format = IntArray(1)
            val id = ByteArray(16)
            val bytes = text.toByteArray()
            call { Library.idgen_detect(bytes, bytes.size.toLong(), format, id, it) }
            return Detected(entries[format[0]], Uuid.fromByteArray(id))
        }
    }
}
