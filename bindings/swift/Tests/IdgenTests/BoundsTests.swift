import Foundation
import XCTest

@testable import Idgen

/// The smallest and the largest id of a time, and what follows the restore of a snapshot.
final class BoundsTests: XCTestCase {
    private func found(_ vector: Object) throws -> [String] {
        let times = Int64(vector.text("start")!)!..<Int64(vector.text("end")!)!
        let ids: (first: UUID, last: UUID)
        switch vector.text("kind") {
        case "short":
            let (first, last) = try Bounds.short(times)
            return [String(first), String(last)]
        case "v1": ids = try Bounds.v1(times)
        case "v6": ids = try Bounds.v6(times)
        case "v7": ids = try Bounds.v7(times)
        case "ulid":
            ids = try Bounds.ulid(times)
            return [try Format.base32.encode(ids.first), try Format.base32.encode(ids.last)]
        default: ids = try Bounds.fixedPrefix(times, bits: (vector["settings"] as! Object).text("prefix")!)
        }
        return [try Format.hyphenated.encode(ids.first), try Format.hyphenated.encode(ids.last)]
    }

    /// Swift has no range that ends before it begins.
    private func hasRange(_ vector: Object) -> Bool { Int64(vector.text("start")!)! <= Int64(vector.text("end")!)! }

    func testTheSharedVectors() throws {
        let vectors = try vectors("bounds.json")
        // The ids of a server's UUID_SHORT() have no place in an app.
        for vector in vectors.objects("bounds") where vector.text("kind") != "mysql-short" && hasRange(vector) {
            if vector.has("error") {
                assertFails(vector) { try found(vector) }
            } else {
                XCTAssertEqual(try found(vector), [vector.text("first"), vector.text("last")], "\(vector)")
            }
        }
        for vector in vectors.objects("prefixed") where hasRange(vector) {
            let given = vector["settings"] as! Object
            let times = Int64(vector.text("start")!)!..<Int64(vector.text("end")!)!
            let find = { try Bounds.prefixed(times, prefix(given), interval: given.text("interval")!, tail: tail(given)) }
            if vector.has("error") {
                assertFails(vector, find)
                continue
            }
            let texts = try find().map { [try Format.hyphenated.encode($0.first), try Format.hyphenated.encode($0.last)] }
            XCTAssertEqual(texts, vector["ranges"] as? [[String]], "\(vector)")
        }
    }

    func testDates() throws {
        let noon = ISO8601DateFormatter().date(from: "2026-11-21T12:00:00Z")!
        let ticks: Int64 = 17_952_624_000_000_000
        XCTAssertTrue(try Bounds.v6(DateInterval(start: noon, duration: 86_400)) == Bounds.v6(ticks..<ticks + 864_000_000_000))
        XCTAssertEqual(try Bounds.prefixed(DateInterval(start: noon, duration: 90 * 1_000), interval: "90s").count, 1_000)
        let far = DateInterval(start: noon, end: Date.distantFuture.addingTimeInterval(1e30))
        XCTAssertThrowsError(try Bounds.v7(far)) { XCTAssertEqual(category($0 as! IdError), "time-out-of-range") }
        XCTAssertThrowsError(try Bounds.v7(DateInterval(start: noon, duration: 0))) { XCTAssertEqual(category($0 as! IdError), "config") }
    }

    func testReseed() throws {
        let ids = try UUIDGenerator.v1()
        let node = { try Inspection(ids.next().uuidString).node }
        let first = try node()
        XCTAssertEqual(try node(), first)
        reseed()
        XCTAssertNotEqual(try node(), first)
    }
}
