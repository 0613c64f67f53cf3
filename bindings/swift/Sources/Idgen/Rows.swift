import CIdgen
import Foundation

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
