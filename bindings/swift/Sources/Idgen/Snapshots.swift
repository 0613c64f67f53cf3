import CIdgen

/// For the hook that runs after a virtual machine or the image of a process was restored, before any thread generates ids. An image that is restored
/// twice continues twice with the same keys in memory, and both copies would generate the same ids.
///
/// After this call, all generators take new keys, and versions 1 and 6 a new random node. A generator with a state throws ``IdError/forked(_:)``: create
/// another one, with another file. 64-bit ids and fixed nodes stay the same: give each copy a node of its own.
public func reseed() { idgen_reseed() }
