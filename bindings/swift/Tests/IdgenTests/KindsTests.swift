import Foundation
import XCTest

@testable import Idgen

/// The kinds are those of `tests/vectors/kinds.json`, with its settings.
final class KindsTests: XCTestCase {
    /// The kinds that this package does not have, with the reason.
    private let missing = [
        "week": "UUIDGenerator.prefixed makes these ids, with Prefix.md5Week and Tail.randomV4",
        "mysql-short": "the ids of a server's UUID_SHORT() have no place in an app",
    ]

    private func kinds() throws -> [Object] {
        let all = try vectors("kinds.json").objects("kinds")
        for name in missing.keys { XCTAssertTrue(all.contains { $0.text("name") == name }, name) }
        return all.filter { missing[$0.text("name")!] == nil }
    }

    private func names(_ kinds: [Object]) -> Set<String> {
        Set(kinds.map { kind in
            let parts = kind.text("name")!.split(separator: "-")
            return parts.dropFirst().reduce(String(parts[0])) { $0 + $1.capitalized }
        })
    }

    /// The names that a pattern finds in a source, since Swift cannot list functions.
    private func found(_ pattern: String) throws -> Set<String> {
        let text = try String(contentsOf: root.appendingPathComponent("bindings/swift/Sources/Idgen/Kinds.swift"), encoding: .utf8)
        let names = try NSRegularExpression(pattern: pattern).matches(in: text, range: NSRange(text.startIndex..., in: text))
        return Set(names.map { String(text[Range($0.range(at: 1), in: text)!]) })
    }

    private func has(_ kind: Object, _ list: String, _ value: String) -> Bool { (kind[list] as! [String]).contains(value) }

    func testTheFunctionsAreThoseOfTheTable() throws {
        let kinds = try kinds()
        let wide = kinds.filter { $0.number("bits") == 128 }
        XCTAssertEqual(names(wide), try found(#"public static func (\w+)\([^{]*-> UUIDGenerator"#))
        XCTAssertEqual(names(kinds).subtracting(names(wide)), ["short"], "ShortGenerator")
        XCTAssertEqual(names(kinds.filter { $0["rows"] as! Bool }), try found(#"public static (?:let|func) (\w+)[^{\n]*RowKind"#))
        XCTAssertEqual(names(kinds.filter { $0.text("bounds") != nil }), try found(#"public static func (\w+)\(\s*_ times"#))
    }

    func testTheSettingsAreThoseOfTheTable() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for kind in try kinds() {
            let name = kind.text("name")!
            let prefix = has(kind, "layout", "interval") ? "sequential" : "ff"
            func next(_ options: Options) throws -> String {
                try generator(name, ["prefix": prefix, "interval": "day", "tail": "ascending"], options).next()
            }
            func check(_ setting: String, _ options: Options) {
                if has(kind, "settings", setting) {
                    XCTAssertNoThrow(try next(options), "\(name): \(setting)")
                } else {
                    XCTAssertThrowsError(try next(options), "\(name): \(setting)") { XCTAssertEqual(category($0 as! IdError), "config") }
                }
            }
            check("node", Options(node: "9f6bdeced846"))
            check("state", Options(stateFile: folder.appendingPathComponent("\(name).state")))
            let id = try next(Options())
            let format = kind.number("bits") == 64 ? "int" : id.count == 26 ? "base32" : "hyphenated"
            XCTAssertEqual(kind.text("text"), format, name)
            if let version = kind.number("version") { XCTAssertEqual(id.dropFirst(14).first.map(String.init), String(version), name) }
        }
    }
}
