import CIdgen
import Foundation

/// The fields of an id. Those that it does not have are nil.
public struct Inspection: Equatable, Sendable {
    /// The id, unless it has 64 bits.
    public let id: UUID?
    /// The id, if it has 64 bits.
    public let shortId: UInt64?
    /// The format of the text.
    public let format: Format?
    /// What kind of id it is: "nil", "max", "v1", "v4", "v6", "v7", "v8", "other-version", "ulid", "other-variant" or "short".
    public let nature: String
    /// The version of the UUID.
    public let version: UInt8?
    /// When the id was made, in units of 100 ns since 1970.
    public let ticks: Int64?
    /// The clock sequence of versions 1 and 6.
    public let clockSequence: UInt16?
    /// The node as twelve hexadecimal digits.
    public let node: String?
    /// The counter.
    public let counter: UInt32?
    /// The first 16 bits, which may be a prefix.
    public let prefix: UInt16?
    /// The time of an ascending tail after a prefix that does not hide the time, in units of 100 ns since 1970.
    public let tailTicks: Int64?
    /// The round of 65,536 intervals, of an ascending tail after a keyed prefix.
    public let round: UInt32?
    /// The offset in the interval in milliseconds, of an ascending tail after a keyed prefix.
    public let offsetMilliseconds: UInt64?
    /// The tag of a named writer, of an ascending tail after a keyed prefix.
    public let writerTag: UInt16?
    /// How many nanoseconds after the whole millisecond of its time an id of version 7 or 8 was made, if its generator is one of this
    /// library's present layout, or one of version 7 with the method 3 of RFC 9562 section 6.2.
    public let fractionNanoseconds: UInt32?

    /// When the id was made.
    public var date: Date? { ticks.map { Date(timeIntervalSince1970: Double($0) / 10_000_000) } }

    /// Reads the fields of an id of any format. Throws ``IdError/parse(_:offset:)`` if it is not the text of an id.
    public init(_ text: String) throws {
        var seen = idgen_inspection()
        try withText(Data(text.utf8)) { text, length in
            try call { idgen_inspect(text, length, &seen, $0) }
        }
        self.init(seen)
    }

    /// The same for an id with an ascending tail after a keyed prefix that changes once every interval, such as "day". `isNamed` says
    /// whether the writer had a name. Throws ``IdError/config(_:)`` if no keyed prefix can have the interval.
    public init(_ text: String, keyedInterval interval: String, isNamed: Bool = false) throws {
        var seen = idgen_inspection()
        let interval = try checked("interval", interval)
        try withText(Data(text.utf8)) { text, length in
            try call { idgen_inspect_keyed(text, length, interval, isNamed, &seen, $0) }
        }
        self.init(seen)
    }

    private init(_ seen: idgen_inspection) {
        func has(_ flag: Int32) -> Bool { seen.fields & UInt32(flag) != 0 }
        let isShort = has(IDGEN_HAS_SHORT_ID)
        id = isShort ? nil : UUID(uuid: seen.id)
        shortId = isShort ? seen.short_id : nil
        format = has(IDGEN_HAS_FORMAT) ? Format(rawValue: seen.format) : nil
        nature = String(cString: idgen_nature_name(seen.nature))
        version = has(IDGEN_HAS_VERSION) ? seen.version : nil
        ticks = has(IDGEN_HAS_TIME) ? seen.time : nil
        clockSequence = has(IDGEN_HAS_CLOCK_SEQUENCE) ? seen.clock_sequence : nil
        node = has(IDGEN_HAS_NODE) ? withUnsafeBytes(of: seen.node, hex) : nil
        counter = has(IDGEN_HAS_COUNTER) ? seen.counter : nil
        prefix = has(IDGEN_HAS_PREFIX) ? seen.prefix : nil
        tailTicks = has(IDGEN_HAS_TAIL_TIME) ? seen.tail_time : nil
        round = has(IDGEN_HAS_ROUND) ? seen.round : nil
        offsetMilliseconds = has(IDGEN_HAS_OFFSET) ? seen.offset_ms : nil
        writerTag = has(IDGEN_HAS_WRITER_TAG) ? seen.writer_tag : nil
        fractionNanoseconds = has(IDGEN_HAS_FRACTION) ? seen.fraction_ns : nil
    }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: UnsafeRawBufferPointer) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
