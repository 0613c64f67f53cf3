import CIdgen
import Foundation

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

/// Ids for rows that exist, such as those of a table that gets a key later: each has the time of its row.
///
/// The times may be in any order, and ids of one time ascend in the order of their rows. Throws ``IdError/timeOutOfRange(_:)`` if the kind cannot
/// hold one of the times. A `Date` near today is exact to about 120 ns.
public func idsForRows(_ kind: RowKind, at times: [Date]) throws -> [UUID] {
    try idsForRows(kind, ticks: times.map { ticks(of: try checked($0)) })
}

/// Ids for rows whose times are given in units of 100 ns since 1970, the exact unit of versions 1 and 6, which a `Date` rounds.
public func idsForRows(_ kind: RowKind, ticks times: [Int64]) throws -> [UUID] {
    try checkBatch(times.count)
    return try Settings.with(kind.number, kind.configure) { settings in
        var ids = [UUID](repeating: UUID(uuid: UUID_NULL), count: times.count)
        try ids.withUnsafeMutableBytes { bytes in
            let ids = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            try call { idgen_ids_at(settings, times, ids, times.count, $0) }
        }
        return ids
    }
}
