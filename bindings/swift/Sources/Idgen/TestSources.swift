import CIdgen
import Foundation

/// Sources for tests, so that generators return known ids: a clock that stands still at 1970 until it is set, bytes in place of random ones,
/// again and again, and a state in memory if `keepsState`. Never use it for real ids: they would be repeated.
public final class TestSources: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Whether generators save their state here.
    public let keepsState: Bool

    /// Sources with at least one byte.
    public init(bytes: Data, keepsState: Bool = false) throws {
        pointer = try withBytes(bytes) { bytes, count in try create { idgen_fixed_new(bytes, count, $0) } }
        self.keepsState = keepsState
    }

    deinit { idgen_fixed_free(pointer) }

    /// The time of the clock in units of 100 ns since 1970. A generator that waits moves it.
    public var ticks: Int64 {
        get { idgen_fixed_time(pointer) }
        set { _ = idgen_fixed_set_time(pointer, newValue) }
    }

    /// Behaves as if the process was killed: generators that exist now save nothing any more, not even when they are released.
    public func crash() { _ = idgen_fixed_crash(pointer) }

    /// The state that was saved last, or nil: the upper and the lower 64 bits of the position, and the node as twelve hexadecimal digits.
    public var saved: (high: UInt64, low: UInt64, node: String?)? {
        var (high, low): (UInt64, UInt64) = (0, 0)
        var node: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0)
        let found = withUnsafeMutableBytes(of: &node) { node in
            idgen_fixed_saved(pointer, &high, &low, node.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        guard found > 0 else { return nil }
        return (high, low, found == 2 ? withUnsafeBytes(of: node, hex) : nil)
    }
}
