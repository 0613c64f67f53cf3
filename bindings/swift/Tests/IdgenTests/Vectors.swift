// Reads tests/vectors and replays generators: its README describes the files.

import Foundation
import XCTest

@testable import Idgen

typealias Object = [String: Any]

let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..")

func vectors(_ name: String) throws -> Object {
    try parse(Data(contentsOf: root.appendingPathComponent("tests/vectors/\(name)")))
}

func parse(_ text: Data) throws -> Object { try JSONSerialization.jsonObject(with: text) as! Object }

extension Dictionary where Key == String, Value == Any {
    func text(_ name: String) -> String? { self[name] as? String }
    func number(_ name: String) -> Int64? { (self[name] as? NSNumber)?.int64Value }
    func objects(_ name: String) -> [Object] { self[name] as! [Object] }
    func has(_ name: String) -> Bool { self[name] != nil }
}

func unhex(_ text: String) -> Data {
    let digits = Array(text.utf8).map { UInt8(String(UnicodeScalar($0)), radix: 16)! }
    return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
}

func uuid(_ text: String) throws -> UUID { try Format.hyphenated.decode(text) }

/// The category of an error in the files.
func category(_ error: IdError) -> String {
    switch error {
    case .parse: return "parse"
    case .clockBehind: return "clock-behind"
    case .timeOutOfRange: return "time-out-of-range"
    case .exhausted: return "exhausted"
    case .entropy: return "entropy"
    case .state: return "state"
    case .config: return "config"
    case .forked: return "forked"
    case .outsideLease: return "outside-lease"
    case .bug: return "bug"
    }
}

/// A generator of either width, whose ids are texts.
struct Texts {
    let next: () throws -> String
    let batch: (Int) throws -> [String]
    /// Drops so many ids.
    let skip: (Int) throws -> Void
    /// Of 64-bit ids.
    var setLease: ((DeviceLease) throws -> Void)?
}

func generator(_ kind: String, _ given: Object, _ options: Options, _ lease: DeviceLease? = nil) throws -> Texts {
    if kind == "short" {
        let ids = try ShortGenerator(options, lease: lease)
        return Texts(
            next: { String(try ids.next()) }, batch: { try ids.batch($0).map { String($0) } }, skip: { _ = try ids.batch($0) },
            setLease: { try ids.setLease($0) })
    }
    let ids: UUIDGenerator
    switch kind {
    case "v1": ids = try .v1(options)
    case "v4": ids = try .v4(options)
    case "v6": ids = try .v6(options)
    case "v7": ids = try .v7(options)
    case "ulid": ids = try .ulid(options)
    case "fixed-prefix": ids = try .fixedPrefix(given.text("prefix")!, options: options)
    default:
        ids = try .prefixed(prefix(given), interval: given.text("interval")!, tail: tail(given), options: options)
    }
    let format: Format = kind == "ulid" ? .base32 : .hyphenated
    return Texts(
        next: { try format.encode(ids.next()) }, batch: { try ids.batchTexts($0, format) }, skip: { _ = try ids.batch($0) })
}

func prefix(_ given: Object) -> Prefix {
    switch given.text("prefix") {
    case "keyed": return .keyed(secret: unhex(given.text("secret")!), writer: given.text("writer"))
    case "md5-week": return .md5Week(utcOffsetSeconds: Int32(given.number("utc_offset_secs") ?? 0))
    default: return .sequential(bits: Int32(given.number("bits") ?? 16))
    }
}

func tail(_ given: Object) -> Tail { Tail(rawValue: given.text("tail")!)! }

/// What a call throws must be the error of the vector.
func assertFails(_ vector: Object, _ call: () throws -> Any) {
    XCTAssertThrowsError(try call(), "\(vector)") { thrown in
        let error = thrown as! IdError
        XCTAssertEqual(category(error), vector.text("error") ?? "parse", "\(vector)")
        XCTAssertEqual(error.description, vector.text("message"))
        if case .parse(_, let offset) = error, !vector.has("error") {
            XCTAssertEqual(offset, vector.number("offset").map { Int($0) }, "\(vector)")
        }
    }
}

func lease(_ given: Object) -> DeviceLease {
    let (begin, end) = (Int64(given.text("not_before")!)!, Int64(given.text("not_after")!)!)
    return DeviceLease(number: UInt16(given.number("number")!), notBeforeTicks: begin, notAfterTicks: end)
}

/// Runs the steps of a case, and compares their results with the file.
func replay(_ test: Object, _ name: String) throws {
    let given = test["settings"] as! Object
    let keepsState = test["state"] as! Bool
    let sources = try TestSources(bytes: unhex(test.text("entropy")!), keepsState: keepsState)
    var options = Options(whenBehind: WhenBehind(rawValue: given.text("when_behind") ?? "restart")!, node: given.text("node"))
    options.sources = sources
    if let longest = given.number("longest_wait_ms") { options.longestWaitMilliseconds = UInt64(longest) }
    if let tolerance = given.number("tolerance_ms") { options.toleranceMilliseconds = UInt64(tolerance) }
    var ids: Texts?
    var held: DeviceLease?
    for step in test.objects("steps") {
        if let clock = step.text("clock") { sources.ticks = Int64(clock)! }
        let before = sources.ticks
        do {
            let count = Int(step.number("count") ?? 0)
            var made: [String]?
            switch step.text("op") {
            case "close": ids = nil
            case "crash":
                sources.crash()
                ids = nil
            case let op:
                if let renewed = (step["lease"] as? Object).map(lease) {
                    // It outlives the generator, and a refused one changes nothing.
                    if let ids { try ids.setLease!(renewed) } else { _ = try ShortGenerator(lease: renewed) }
                    held = renewed
                }
                if ids == nil { ids = try generator(test.text("kind")!, given, options, held) }
                if op == "next" {
                    made = try (0..<count).map { _ in try ids!.next() }
                } else if op == "fill" {
                    made = try ids!.batch(count)
                } else {
                    for left in stride(from: count, to: 0, by: -(1 << 16)) { try ids!.skip(min(left, 1 << 16)) }
                }
            }
            XCTAssertFalse(step.has("error"), name)
            XCTAssertEqual(made, step["ids"] as? [String], name)
        } catch let error as IdError {
            XCTAssertEqual(step.text("error"), category(error), name)
            XCTAssertEqual(step.text("message"), error.description, name)
        }
        XCTAssertEqual(sources.ticks, step.text("clock_after").map { Int64($0)! } ?? before, name)
        if keepsState { try checkSaved(sources, step["saved"] as? Object, name) }
    }
}

private func checkSaved(_ sources: TestSources, _ expected: Object?, _ name: String) throws {
    guard let (high, low, node) = sources.saved else { return XCTAssertNil(expected, name) }
    // The position as a decimal text is the format `int`.
    let bytes = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
    XCTAssertEqual(try Format.int.encode(Format.binary.decode(bytes)), expected?.text("position"), name)
    XCTAssertEqual(node, expected?.text("node"), name)
}
