import CIdgen
import Foundation

/// Turns ids of version 7 into ids that look like version 4, and back, with a secret of at least 16 bytes, or with several of them for
/// successive times. Keep the secrets on a server.
public final class Sealer: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// A key, which cannot see that it did not seal an id.
    public init(secret: Data) throws {
        pointer = try withBytes(secret) { secret, length in try create { idgen_seal_key_new(secret, length, $0) } }
    }

    /// A ring of keys: the first secret seals all ids, and each later one those from its time in milliseconds since 1970 on. The times must
    /// ascend.
    public init(ring first: Data, _ later: [(fromUnixMilliseconds: Int64, secret: Data)]) throws {
        pointer = try withBytes(first) { secret, length in try create { idgen_seal_ring_new(secret, length, $0) } }
        for (from, secret) in later {
            try withBytes(secret) { secret, length in
                try call { idgen_seal_ring_add(pointer, from, secret, length, $0) }
            }
        }
    }

    deinit { idgen_seal_free(pointer) }

    /// The sealed id. Throws ``IdError/config(_:)`` if the id is not of version 7.
    public func seal(_ id: UUID) throws -> UUID { try seal([id])[0] }

    /// The id of version 7. Throws ``IdError/config(_:)`` if the sealed id is not of version 4, or if no key of a ring has sealed it.
    public func open(_ sealed: UUID) throws -> UUID { try open([sealed])[0] }

    /// The sealed ids of many, by one call.
    public func seal(_ ids: [UUID]) throws -> [UUID] { try change(ids, idgen_seal_ids) }

    /// The ids of version 7 of many, by one call.
    public func open(_ sealed: [UUID]) throws -> [UUID] { try change(sealed, idgen_open_ids) }

    private func change(
        _ ids: [UUID],
        _ function: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<idgen_error>?) -> Int32
    ) throws -> [UUID] {
        var changed = ids
        try changed.withUnsafeMutableBytes { bytes in
            let ids = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            try call { function(pointer, ids, bytes.count / 16, $0) }
        }
        return changed
    }
}

/// The key of keyed prefixes, for those who look for the rows of a time.
public final class PrefixKey: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// A key from a secret of at least 16 bytes and the name of a writer.
    public init(secret: Data, writer: String? = nil) throws {
        let writer = try writer.map { try checked("writer", $0) }
        pointer = try withBytes(secret) { secret, length in
            try create { error in
                guard let writer else { return idgen_prefix_key_new(secret, length, nil, error) }
                return idgen_prefix_key_new(secret, length, writer, error)
            }
        }
    }

    deinit { idgen_prefix_key_free(pointer) }

    /// The prefix of the interval with this number since 1970.
    public func prefix(intervalNumber: Int64) throws -> UInt16 {
        var prefix: UInt16 = 0
        try call { idgen_prefix_key_prefix(pointer, intervalNumber, &prefix, $0) }
        return prefix
    }

    /// The tag of the writer after a prefix. Throws ``IdError/config(_:)`` if the writer has no name.
    public func writerTag(prefix: UInt16) throws -> UInt16 {
        var tag: UInt16 = 0
        try call { idgen_prefix_key_writer_tag(pointer, prefix, &tag, $0) }
        return tag
    }
}

func withBytes<T>(_ bytes: Data, _ run: (UnsafePointer<UInt8>?, Int) throws -> T) rethrows -> T {
    try bytes.withUnsafeBytes { try run($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
}
