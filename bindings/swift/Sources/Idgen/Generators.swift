import CIdgen
import Foundation

/// Generates 128-bit ids. All functions may be called from any thread.
///
/// ```swift
/// let ids = try UUIDGenerator.v7(Options(stateFile: URL(fileURLWithPath: "ids.state")))
/// let id = try ids.next()  // greater than all ids of earlier runs
/// let many = try ids.batch(1_000)  // each of them is several times as cheap
/// ```
///
/// All functions throw ``IdError``, and no id is made then. When the generator is released, it saves its exact position and releases the
/// file.
public final class UUIDGenerator: @unchecked Sendable {
    private let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { idgen_generator_free(pointer) }

    static func of(
        _ kind: Int32, _ options: Options, _ configure: (inout Settings) throws -> Void = { _ in }
    ) throws -> UUIDGenerator {
        UUIDGenerator(try Settings.create(kind, options, configure))
    }

    /// The next id.
    public func next() throws -> UUID {
        var id = UUID_NULL
        try withUnsafeMutableBytes(of: &id) { bytes in
            let id = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
            try call { idgen_generator_next(pointer, id, $0) }
        }
        return UUID(uuid: id)
    }

    /// So many new ids, in order.
    public func batch(_ count: Int) throws -> [UUID] {
        try checkBatch(count)
        return try [UUID](unsafeUninitializedCapacity: count) { ids, made in
            // A UUID of Foundation is its 16 bytes.
            try ids.withMemoryRebound(to: uuid_t.self) { ids in
                try call { idgen_generator_fill(pointer, UnsafeMutableRawPointer(ids.baseAddress)?.assumingMemoryBound(to: UInt8.self), count, $0) }
            }
            made = count
        }
    }

    /// The same as texts of a format.
    public func batchTexts(_ count: Int, _ format: Format = .hyphenated) throws -> [String] {
        try format.encodeAll(batch(count))
    }
}

/// Generates 64-bit ids: seconds, 16 bits of a node, 16 bits of a counter. All functions may be called from any thread.
///
/// From 2038-01-19 on, an id exceeds `Int64.max`: a column is `BIGINT UNSIGNED`. In JSON, send it as text, because numbers beyond 2^53 are
/// not exact in JavaScript. Ids are unique as long as no two devices have the same node.
public final class ShortGenerator: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// A generator with these options, and with a lease as ``setLease(_:)`` takes it.
    public init(_ options: Options = Options(), lease: DeviceLease? = nil) throws {
        pointer = try Settings.create(IDGEN_SHORT, options)
        // If it fails, the generator is released, and with it the state file.
        if let lease { try setLease(lease) }
    }

    deinit { idgen_generator_free(pointer) }

    /// Uses the number of a lease as the node. Outside of the lease, functions that make ids throw ``IdError/outsideLease(_:)``. Call it again with the
    /// renewed lease. If a lease is refused, the one before it stays.
    ///
    /// Keep a state file beside the lease: without it, a restart after the clock was set back may repeat ids of this device itself. With a lease, a
    /// clock that steps back further than the tolerance is an error also with ``WhenBehind/restart``, because a restart takes another node.
    public func setLease(_ lease: DeviceLease) throws {
        try call { idgen_generator_set_lease(pointer, lease.number, lease.notBeforeTicks, lease.notAfterTicks, $0) }
    }

    /// The next id.
    public func next() throws -> UInt64 {
        var id: UInt64 = 0
        try call { idgen_generator_next_short(pointer, &id, $0) }
        return id
    }

    /// So many new ids, in order.
    public func batch(_ count: Int) throws -> [UInt64] {
        try checkBatch(count)
        return try [UInt64](unsafeUninitializedCapacity: count) { ids, made in
            try call { idgen_generator_fill_short(pointer, ids.baseAddress, count, $0) }
            made = count
        }
    }
}

let UUID_NULL: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

func checkBatch(_ count: Int) throws {
    guard 0...(1 << 24) ~= count else { throw IdError.config("a batch has 0 to \(1 << 24) ids, not \(count)") }
}
