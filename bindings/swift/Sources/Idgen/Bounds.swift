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
    static let few = 64

    static func of(
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
