@file:JvmName("Snapshots")

package io.github.idgen

import org.crac.Context
import org.crac.Core
import org.crac.Resource

/**
 * For the hook that runs after a virtual machine or the image of a process was restored, before any thread generates ids. An image that is
 * restored twice continues twice with the same keys in memory, and both copies would generate the same ids.
 *
 * CRaC and AWS Lambda SnapStart need no call, because this package registers a hook that calls it. After this call, all generators take new keys, and
 * versions 1 and 6 a new random node. A generator with a state throws [IdException.Forked]: create another one, with another file. 64-bit ids and
 * fixed nodes stay the same: give each copy a node of its own.
 */
public fun reseed(): Unit = Library.idgen_reseed()

/**
 * The hook of CRaC, which Lambda SnapStart runs, too. The context holds resources weakly, and this object lives as long as the class.
 *
 * It also runs before the snapshot: resources that were registered earlier run their `afterRestore` before this one, and may generate ids.
 */
internal object RestoreHook : Resource {
    fun register(): Unit = Core.getGlobalContext().register(this)

    override fun beforeCheckpoint(context: Context<out Resource>): Unit = reseed()

    override fun afterRestore(context: Context<out Resource>): Unit = reseed()
}
