import CIdgen
import Foundation

/// The smallest and the largest id of a time, for queries such as `WHERE id BETWEEN ? AND ?`.
///
/// ```swift
/// let day = DateInterval(start: midnight, duration: 86_400)
/// let ids = try Bounds.v7(day)  // ids.first and ids.last belong to the range
/// ```
///
/// The times are those from the start of the interval to the one before its end; a `Range` of units of 100 ns since 1970 is the same. All ids
/// of these times are in the range, and so are the other ids of the first and the last millisecond (100 ns for versions 1 and 6, a second for 64-bit
/// ids). The functions throw ``IdError/config(_:)`` if the times end before they begin, and ``IdError/timeOutOfRange(_:)`` if the kind cannot hold them.
public enum Bounds {
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

    private static let few = 64

    private static func of(
        _ kind: Int32, _ times: some Times, _ configure: (inout Settings) throws -> Void = { _ in }
    ) throws -> (first: UUID, last: UUID) {
        try Settings.with(kind, configure) { settings in
            var last = UUID_NULL
            let first = try read { id, error in
                withUnsafeMutableBytes(of: &last) { bytes in
                    let last = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
                    return idgen_bounds(settings, times.startTicks, times.endTicks, id, last, error)
                }
            }
            return (first, UUID(uuid: last))
        }
    }
}

/// Times from a first one to the one before the end, in units of 100 ns since 1970.
public protocol Times {
    /// The first time.
    var startTicks: Int64 { get }
    /// The time before which they end.
    var endTicks: Int64 { get }
}

/// The times from `start` to the one before `end`. A `Date` near today is exact to about 120 ns: give units of 100 ns where this matters.
extension DateInterval: Times {
    public var startTicks: Int64 { ticks(of: start) }
    public var endTicks: Int64 { ticks(of: end) }
}

/// Units of 100 ns since 1970.
extension Range<Int64>: Times {
    public var startTicks: Int64 { lowerBound }
    public var endTicks: Int64 { upperBound }
}

/// A date can hold what is not a number, which is no time.
func checked(_ date: Date) throws -> Date {
    guard !date.timeIntervalSince1970.isNaN else { throw IdError.config("a date is not a number: give one that is a time") }
    return date
}

/// A date in units of 100 ns since 1970, or the first or last one of 64 bits. Whole microseconds are exact.
func ticks(of date: Date) -> Int64 {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    return Int64(exactly: microseconds * 10) ?? (microseconds < 0 ? Int64.min : Int64.max)
}
