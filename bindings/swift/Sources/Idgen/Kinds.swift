// The kinds of ids: a new one is added here. The tests compare them with tests/vectors/kinds.json.

import CIdgen
import Foundation

extension UUIDGenerator {
    /// UUIDs of version 7: they sort by time.
    public static func v7(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V7, options) }

    /// UUIDs of version 4: random. A state is refused.
    public static func v4(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V4, options) }

    /// UUIDs of version 6: as version 1, but sorted by time.
    public static func v6(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V6, options) }

    /// UUIDs of version 1.
    public static func v1(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_V1, options) }

    /// ULIDs. Their text is that of ``Format/base32``.
    public static func ulid(_ options: Options = Options()) throws -> UUIDGenerator { try of(IDGEN_ULID, options) }

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
    /// The ids of version 7.
    public static func v7(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_V7, times) }

    /// The ULIDs.
    public static func ulid(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_ULID, times) }

    /// The ids of version 6.
    public static func v6(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_V6, times) }

    /// The ids of version 1, which bound a column of swapped bytes: encode them as ``Format/swapped``.
    public static func v1(_ times: some Times) throws -> (first: UUID, last: UUID) { try of(IDGEN_V1, times) }

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
public enum RowKind: Sendable {
    /// Ids of version 7.
    case v7
    /// ULIDs. Their text is that of ``Format/base32``.
    case ulid
    /// Ids of version 6, with this node or a random one.
    case v6(node: String? = nil)
    /// Ids of version 1, with this node or a random one.
    case v1(node: String? = nil)
    /// Ids with fixed first bits, as ``UUIDGenerator/fixedPrefix(_:options:)`` makes them.
    case fixedPrefix(String = "ffffffff")
    /// Ids of ``UUIDGenerator/prefixed(_:interval:tail:options:)``.
    case prefixed(Prefix = .sequential(), interval: String = "day", tail: Tail = .ascending)

    var number: Int32 {
        switch self {
        case .v7: return IDGEN_V7
        case .ulid: return IDGEN_ULID
        case .v6: return IDGEN_V6
        case .v1: return IDGEN_V1
        case .fixedPrefix: return IDGEN_FIXED_PREFIX
        case .prefixed: return IDGEN_PREFIXED
        }
    }

    func configure(_ settings: inout Settings) throws {
        switch self {
        case .v7, .ulid: break
        case .v6(let node), .v1(let node): settings.settings.node = try settings.text("node", node)
        case .fixedPrefix(let bits): settings.settings.fixed_prefix = try settings.text("bits", bits)
        case .prefixed(let prefix, let interval, let tail): try settings.setPrefixed(prefix, interval, tail)
        }
    }
}
