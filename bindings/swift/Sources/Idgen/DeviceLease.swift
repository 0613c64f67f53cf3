import Foundation

/// The number of a device, and the times whose 64-bit ids it may make with it: a server leases no two devices one number for the same second. The second is
/// part of an id, so ids of different leases differ, whatever the clocks of the devices do.
public struct DeviceLease: Equatable, Sendable {
    /// The number of the device.
    public var number: UInt16
    /// The time of the first id in units of 100 ns since 1970. A fraction of a second makes the lease shorter.
    public var notBeforeTicks: Int64
    /// The time of the last id in units of 100 ns since 1970. A fraction counts as its whole second.
    public var notAfterTicks: Int64

    /// A lease with times in units of 100 ns since 1970.
    public init(number: UInt16, notBeforeTicks: Int64, notAfterTicks: Int64) {
        self.number = number
        self.notBeforeTicks = notBeforeTicks
        self.notAfterTicks = notAfterTicks
    }

    /// A lease with dates, of which whole microseconds are exact.
    public init(number: UInt16, notBefore: Date, notAfter: Date) {
        self.init(number: number, notBeforeTicks: ticks(of: notBefore), notAfterTicks: ticks(of: notAfter))
    }
}
