// The kinds of ids: one with settings of its own is added here by hand. The tests compare them with tests/vectors/kinds.json.

import CIdgen
import Foundation

extension UUIDGenerator {
    // begin kinds: scripts/kinds.py --write
    /// UUID version 1: Gregorian time (low bits first), clock sequence, node.
    public static func v1(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V1, options) }

    /// UUID version 4: random. A state is refused.
    public static func v4(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V4, options) }

    /// UUID version 6: Gregorian time (high bits first), clock sequence, node. Its ids ascend.
    public static func v6(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V6, options) }

    /// UUID version 7: Unix milliseconds and their fraction, counter, random tail. Its ids ascend.
    public static func v7(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V7, options) }

    /// ULID: Unix milliseconds and 80 bits, without version and variant. Its ids ascend. Their text is that of ``Format/base32``.
    public static func ulid(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_ULID, options) }
    // end kinds

    /// UUIDs whose first 16 bits stay the same for an interval, such as "day", "ten-minutes", "week" or "90s". A state is refused if the
    /// tail is random.
    public static func prefixed(
        _ prefix: Prefix = .sequential(), interval: String = "day", tail: Tail = .ascending, options: Options = Options()
    ) throws -> UUIDGenerator {
        try of(IDGEN_PREFIXED, options) { settings in
            try settings.setPrefixed(prefix, interval, tail)
        }
    }

    /// UUIDs of version 8 that begin with fixed bits, such as "ffffffff" or "0b101", and then ascend. Of 2^32 random keys, one begins with the default.
    public static func fixedPrefix(_ bits: String = "ffffffff", options: Options = Options()) throws -> UUIDGenerator {
        try of(IDGEN_FIXED_PREFIX, options) { settings in
            settings.settings.fixed_prefix = try settings.text("bits", bits)
        }
    }
}

extension Bounds {
    // begin kinds: scripts/kinds.py --write
    /// The ids of ``UUIDGenerator/v1(_:)``. They bound a column of swapped bytes: encode them as ``Format/swapped``.
    public static func v1(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_V1, times) }

    /// The ids of ``UUIDGenerator/v6(_:)``.
    public static func v6(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_V6, times) }

    /// The ids of ``UUIDGenerator/v7(_:)``.
    public static func v7(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_V7, times) }

    /// The ids of ``UUIDGenerator/ulid(_:)``.
    public static func ulid(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_ULID, times) }
    // end kinds

    /// The ids with fixed first bits, as ``UUIDGenerator/fixedPrefix(_:options:)`` makes them.
    public static func fixedPrefix(_ times: some Times, bits: String = "ffffffff") throws -> (first: UUID, last: UUID) {
        try of(IDGEN_FIXED_PREFIX, times) { settings in settings.settings.fixed_prefix = try settings.text("bits", bits) }
    }

    /// The ids of ``UUIDGenerator/prefixed(_:interval:tail:options:)``: a range for each interval of the times, in their order. After an ascending
    /// tail, a range has the ids of these times only. After a random tail it has all ids of the interval, and those of all other intervals with the
    /// same prefix. A keyed prefix takes about 0.2 ms for each interval.
    public static func prefixed(
        _ times: some Times, _ prefix: Prefix = .sequential(), interval: String = "day", tail: Tail = .ascending
    ) throws -> [(first: UUID, last: UUID)] {
        let (start, end) = (times.startTicks, times.endTicks)
        return try Settings.with(IDGEN_PREFIXED, { try $0.setPrefixed(prefix, interval, tail) }) { settings in
            var count = 0
            var pairs = [uuid_t](repeating: UUID_NULL, count: 2 * few)
            func find(_ error: UnsafeMutablePointer<idgen_error>) -> Int32 {
                pairs.withUnsafeMutableBytes { bytes in
                    let ids = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
                    return idgen_prefixed_bounds(settings, start, end, ids, bytes.count / 32, &count, error)
                }
            }
            try call { error in
                let status = find(error)
                guard status == IDGEN_BUFFER, count <= 1 << 24 else { return status }
                pairs = [uuid_t](repeating: UUID_NULL, count: 2 * count)
                return find(error)
            }
            return (0..<count).map { (UUID(uuid: pairs[2 * $0]), UUID(uuid: pairs[2 * $0 + 1])) }
        }
    }

    /// The 64-bit ids.
    public static func short(_ times: some Times) throws -> (first: UInt64, last: UInt64) {
        var (first, last): (UInt64, UInt64) = (0, 0)
        try call { idgen_short_bounds(times.startTicks, times.endTicks, &first, &last, $0) }
        return (first, last)
    }
}

/// A kind of ids for rows that exist.
public struct RowKind: Sendable {
    let number: Int32
    let configure: @Sendable (inout Settings) throws -> Void

    init(_ number: Int32, _ configure: @escaping @Sendable (inout Settings) throws -> Void = { _ in }) {
        self.number = number
        self.configure = configure
    }

    // begin kinds: scripts/kinds.py --write
    /// Ids of ``UUIDGenerator/v1(_:)``, with this node or a random one.
    public static func v1(node: String? = nil) -> RowKind { RowKind(IDGEN_V1) { $0.settings.node = try $0.text("node", node) } }

    /// Ids of ``UUIDGenerator/v6(_:)``, with this node or a random one.
    public static func v6(node: String? = nil) -> RowKind { RowKind(IDGEN_V6) { $0.settings.node = try $0.text("node", node) } }

    /// Ids of ``UUIDGenerator/v7(_:)``.
    public static let v7 = RowKind(IDGEN_V7)

    /// Ids of ``UUIDGenerator/ulid(_:)``.
    public static let ulid = RowKind(IDGEN_ULID)
    // end kinds

    /// Ids with fixed first bits, as ``UUIDGenerator/fixedPrefix(_:options:)`` makes them.
    public static func fixedPrefix(_ bits: String = "ffffffff") -> RowKind {
        RowKind(IDGEN_FIXED_PREFIX) { settings in settings.settings.fixed_prefix = try settings.text("bits", bits) }
    }

    /// Ids of ``UUIDGenerator/prefixed(_:interval:tail:options:)``.
    public static func prefixed(_ prefix: Prefix = .sequential(), interval: String = "day", tail: Tail = .ascending) -> RowKind {
        RowKind(IDGEN_PREFIXED) { settings in try settings.setPrefixed(prefix, interval, tail) }
    }
}
