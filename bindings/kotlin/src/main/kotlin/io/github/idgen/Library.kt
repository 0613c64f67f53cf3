package io.github.idgen

import com.sun.jna.Memory
import com.sun.jna.Native
import com.sun.jna.Pointer
import com.sun.jna.Structure

/** The functions of `bindings/c/include/idgen.h`, by JNA's direct mapping. `size_t` is a Long, which needs a platform of 64 bits. */
@Suppress("FunctionName")
internal object Library {
    init {
        if (Native.POINTER_SIZE != 8) {
            throw UnsupportedOperationException("idgen-keys needs a process of 64 bits, not of ${8 * Native.POINTER_SIZE}")
        }
        Native.register(Library::class.java, "idgen_c")
        try {
            RestoreHook.register()
        } catch (_: NoClassDefFoundError) {
            // An app without the library org.crac, such as one on Android.
        }
    }

    @JvmStatic external fun idgen_settings_init_sized(settings: Settings, size: Long, kind: Int)
    @JvmStatic external fun idgen_generator_new(settings: Settings, error: Pointer): Pointer?
    @JvmStatic external fun idgen_generator_free(generator: Pointer)
    @JvmStatic external fun idgen_generator_next(generator: Pointer, id: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_generator_fill(generator: Pointer, ids: ByteArray, count: Long, error: Pointer): Int
    @JvmStatic external fun idgen_generator_next_short(generator: Pointer, id: LongArray, error: Pointer): Int
    @JvmStatic external fun idgen_generator_fill_short(generator: Pointer, ids: LongArray, count: Long, error: Pointer): Int
    @JvmStatic external fun idgen_generator_set_lease(generator: Pointer, number: Short, notBefore: Long, notAfter: Long, error: Pointer): Int

    @JvmStatic external fun idgen_reseed()

    @JvmStatic external fun idgen_bounds(settings: Settings, start: Long, end: Long, first: ByteArray, last: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_prefixed_bounds(settings: Settings, start: Long, end: Long, pairs: ByteArray, capacity: Long, count: LongArray, error: Pointer): Int
    @JvmStatic external fun idgen_short_bounds(start: Long, end: Long, first: LongArray, last: LongArray, error: Pointer): Int

    @JvmStatic external fun idgen_ids_at(settings: Settings, times: LongArray, ids: ByteArray, count: Long, error: Pointer): Int
    @JvmStatic external fun idgen_to_order(order: Int, id: ByteArray, bytes: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_from_order(order: Int, bytes: ByteArray, id: ByteArray, error: Pointer): Int

    @JvmStatic external fun idgen_encode(format: Int, id: ByteArray, text: ByteArray, capacity: Long, length: LongArray, error: Pointer): Int
    @JvmStatic external fun idgen_encode_lines(format: Int, ids: ByteArray, count: Long, text: ByteArray, capacity: Long, length: LongArray, error: Pointer): Int
    @JvmStatic external fun idgen_decode(format: Int, text: ByteArray, length: Long, id: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_detect(text: ByteArray, length: Long, format: IntArray, id: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_short_decode(text: ByteArray, length: Long, id: LongArray, error: Pointer): Int

    @JvmStatic external fun idgen_v3(namespace: ByteArray, name: ByteArray, length: Long, id: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_v5(namespace: ByteArray, name: ByteArray, length: Long, id: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_v8(bytes: ByteArray, id: ByteArray, error: Pointer): Int

    @JvmStatic external fun idgen_inspect(text: ByteArray, length: Long, inspection: ByteArray, error: Pointer): Int
    @JvmStatic external fun idgen_inspect_keyed(text: ByteArray, length: Long, interval: ByteArray, isNamed: Byte, inspection: ByteArray, error: Pointer): Int

    @JvmStatic external fun idgen_foreign_texts(text: ByteArray, length: Long, readings: ByteArray, capacity: Long, count: LongArray, error: Pointer): Int
    @JvmStatic external fun idgen_foreign_numbers(number: Long, now: Long, readings: ByteArray, capacity: Long, count: LongArray, error: Pointer): Int

    @JvmStatic external fun idgen_seal_key_new(secret: ByteArray, length: Long, error: Pointer): Pointer?
    @JvmStatic external fun idgen_seal_ring_new(secret: ByteArray, length: Long, error: Pointer): Pointer?
    @JvmStatic external fun idgen_seal_ring_add(ring: Pointer, fromUnixMs: Long, secret: ByteArray, length: Long, error: Pointer): Int
    @JvmStatic external fun idgen_seal_free(seal: Pointer)
    @JvmStatic external fun idgen_seal_ids(seal: Pointer, ids: ByteArray, count: Long, error: Pointer): Int
    @JvmStatic external fun idgen_open_ids(seal: Pointer, ids: ByteArray, count: Long, error: Pointer): Int

    @JvmStatic external fun idgen_prefix_key_new(secret: ByteArray, length: Long, writer: ByteArray?, error: Pointer): Pointer?
    @JvmStatic external fun idgen_prefix_key_free(key: Pointer)
    @JvmStatic external fun idgen_prefix_key_prefix(key: Pointer, number: Long, prefix: ShortArray, error: Pointer): Int
    @JvmStatic external fun idgen_prefix_key_writer_tag(key: Pointer, prefix: Short, tag: ShortArray, error: Pointer): Int

    @JvmStatic external fun idgen_fixed_new(bytes: ByteArray, count: Long, error: Pointer): Pointer?
    @JvmStatic external fun idgen_fixed_free(fixed: Pointer)
    @JvmStatic external fun idgen_fixed_set_time(fixed: Pointer, ticks: Long): Int
    @JvmStatic external fun idgen_fixed_time(fixed: Pointer): Long
    @JvmStatic external fun idgen_fixed_crash(fixed: Pointer): Int
    @JvmStatic external fun idgen_fixed_saved(fixed: Pointer, high: LongArray, low: LongArray, node: ByteArray): Int
}

/** `idgen_settings`. The fields have the names and the order of the header. */
@Suppress("PropertyName")
@Structure.FieldOrder(
    "size", "kind", "when_behind", "tolerance_ms", "state_path", "node", "prefix", "prefix_bits", "utc_offset_secs", "tail",
    "interval", "secret", "secret_length", "writer", "fixed_prefix", "fixed", "fixed_state", "longest_wait_ms",
)
internal class Settings : Structure() {
    @JvmField var size: Long = 0
    @JvmField var kind: Int = 0
    @JvmField var when_behind: Int = 0
    @JvmField var tolerance_ms: Long = 0
    @JvmField var state_path: Pointer? = null
    @JvmField var node: Pointer? = null
    @JvmField var prefix: Int = 0
    @JvmField var prefix_bits: Int = 0
    @JvmField var utc_offset_secs: Int = 0
    @JvmField var tail: Int = 0
    @JvmField var interval: Pointer? = null
    @JvmField var secret: Pointer? = null
    @JvmField var secret_length: Long = 0
    @JvmField var writer: Pointer? = null
    @JvmField var fixed_prefix: Pointer? = null
    @JvmField var fixed: Pointer? = null
    @JvmField var fixed_state: Byte = 0
    @JvmField var longest_wait_ms: Long = 0
}

/** The memory of an `idgen_error`, one for each thread. */
private val errors: ThreadLocal<Memory> = ThreadLocal.withInitial { Memory(12 + 1024) }

/** Calls a function that returns a status, and throws its error. */
internal inline fun call(function: (error: Pointer) -> Int) {
    val error = errorMemory()
    if (function(error) != 0) throw exceptionOf(error)
}

/** Calls a function that creates an object, and throws its error. */
internal inline fun create(function: (error: Pointer) -> Pointer?): Pointer {
    val error = errorMemory()
    return function(error) ?: throw exceptionOf(error)
}

@PublishedApi internal fun errorMemory(): Pointer = errors.get()

internal fun exceptionOf(error: Pointer): IdException {
    val message = String(error.getByteArray(12, error.getInt(8)), Charsets.UTF_8)
    return when (error.getInt(0)) {
        1 -> IdException.Parse(message, error.getInt(4).takeIf { it >= 0 })
        2 -> IdException.ClockBehind(message)
        3 -> IdException.TimeOutOfRange(message)
        4 -> IdException.Exhausted(message)
        5 -> IdException.Entropy(message)
        6 -> IdException.State(message)
        7, 9, 10 -> IdException.Config(message)
        8 -> IdException.Forked(message)
        12 -> IdException.OutsideLease(message)
        else -> IdException.Bug(message)
    }
}

/** The text in UTF-8 with a NUL at its end. */
internal fun terminated(name: String, text: String): ByteArray {
    if ('\u0000' in text) throw IdException.Config("$name must not contain a NUL: \"${text.replace("\u0000", "\\0")}\"")
    return utf8(name, text) + 0
}

/** The text in UTF-8. A surrogate that is alone has no bytes there: all of them would be a question mark, so two texts would be the same. */
internal fun utf8(name: String, text: String): ByteArray = try {
    text.encodeToByteArray(throwOnInvalidSequence = true)
} catch (_: CharacterCodingException) {
    throw IdException.Config("$name has half of a character: give a text that UTF-8 can hold, unlike \"${String(text.toByteArray(), Charsets.UTF_8)}\"")
}

/** A copy in native memory, which lives as long as the object. */
internal fun copied(bytes: ByteArray): Memory = Memory(bytes.size.toLong().coerceAtLeast(1)).also { it.write(0, bytes, 0, bytes.size) }

/** A native object, which is used by one thread at a time and freed once. */
internal class Handle(private val name: String, pointer: Pointer, private val free: (Pointer) -> Unit) {
    private var pointer: Pointer? = pointer

    inline fun <T> use(run: (Pointer) -> T): T = synchronized(this) { run(living()) }

    @PublishedApi internal fun living(): Pointer = pointer ?: throw IllegalStateException("this $name is closed: create another one")

    fun close(): Unit = synchronized(this) {
        pointer?.let(free)
        pointer = null
    }
}
