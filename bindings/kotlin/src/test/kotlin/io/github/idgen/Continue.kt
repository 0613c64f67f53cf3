package io.github.idgen

import com.google.gson.JsonObject
import java.io.File
import java.security.SecureRandom
import kotlin.time.Duration

/** Continues a state file, with the arguments of the example `continue` of crates/idgen. */
internal object Continue {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (kind, file, clock, count, end) = arguments
        val bytes = ByteArray(4_096).also(SecureRandom()::nextBytes)
        val sources = TestSources(bytes).apply { ticks = clock.toLong() }
        val ids = generatorOf(kind, JsonObject(), Options(stateFile = File(file), tolerance = Duration.INFINITE, sources = sources))
        repeat(count.toInt()) {
            println(ids.next())
            System.out.flush()
        }
        // Without closing the generator, as after a kill.
        if (end == "abort") Runtime.getRuntime().halt(0)
        ids.close()
    }
}
