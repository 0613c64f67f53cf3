import CIdgen
import Foundation

/// One reading of a text or a number as the id of another generator.
public struct ForeignId: Equatable, Sendable {
    /// The generator, such as "ksuid" or "discord-snowflake".
    public let kind: String
    /// When the id was made, in units of 100 ns since 1970, if it shows that.
    public let ticks: Int64?
    /// The UUID of a TypeID.
    public let id: UUID?

    /// When the id was made.
    public var date: Date? { ticks.map { Date(timeIntervalSince1970: Double($0) / 10_000_000) } }

    fileprivate init(_ seen: idgen_foreign) {
        kind = String(cString: idgen_foreign_name(seen.kind))
        ticks = seen.fields & UInt32(IDGEN_FOREIGN_HAS_TIME) != 0 ? seen.time : nil
        id = seen.fields & UInt32(IDGEN_FOREIGN_HAS_ID) != 0 ? UUID(uuid: seen.id) : nil
    }
}

/// The kinds of other generators that have the characters of a text; none for most texts. Some texts can be read in two ways.
public func foreignTexts(_ text: String) throws -> [ForeignId] {
    try withText(Data(text.utf8)) { text, length in
        try readings { seen, capacity, count, error in idgen_foreign_texts(text, length, seen, capacity, count, error) }
    }
}

/// The layouts of 64 bits that give a number a plausible time, the most plausible first: at least a day after the layout's beginning, and at
/// most a day after `now`.
public func foreignNumbers(_ number: UInt64, now: Date = Date()) throws -> [ForeignId] {
    let now = ticks(of: try checked(now))
    return try readings { seen, capacity, count, error in idgen_foreign_numbers(number, now, seen, capacity, count, error) }
}

private func readings(
    _ function: (UnsafeMutablePointer<idgen_foreign>, Int, UnsafeMutablePointer<Int>, UnsafeMutablePointer<idgen_error>) -> Int32
) throws -> [ForeignId] {
    var seen = [idgen_foreign](repeating: idgen_foreign(), count: Int(IDGEN_FOREIGN_READINGS))
    var count = 0
    try seen.withUnsafeMutableBufferPointer { seen in
        try call { function(seen.baseAddress!, seen.count, &count, $0) }
    }
    return seen.prefix(count).map(ForeignId.init)
}
