import Foundation
import XCTest

@testable import Idgen

/// Ids for rows that exist, and orders of bytes.
final class RowsTests: XCTestCase {
    func testEachIdHasTheTimeOfItsRow() throws {
        let times = (0..<100).map { 17_952_624_001_230_000 - Int64($0 / 2) * 7 * 864_000_000_000 }
        let kinds: [RowKind] = [.v7, .v6(node: "9f6bdeced846"), .v1(), .fixedPrefix("ff"), .prefixed()]
        for kind in kinds {
            let ids = try idsForRows(kind, ticks: times)
            XCTAssertEqual(Set(ids).count, 100)
            for (id, time) in zip(ids, times) {
                let seen = try Inspection(id.uuidString)
                XCTAssertEqual(try XCTUnwrap(seen.ticks ?? seen.tailTicks) / 10_000, time / 10_000, "\(kind)")
            }
        }
        let ids = try idsForRows(.v7, ticks: times).map(\.uuidString)
        for pair in stride(from: 0, to: 100, by: 2) { XCTAssertLessThan(ids[pair], ids[pair + 1]) }
        for id in try idsForRows(.ulid, at: times.map { Date(timeIntervalSince1970: Double($0) / 1e7) }) {
            XCTAssertEqual(id.uuid.0, 0x01)
        }
        XCTAssertEqual(try idsForRows(.v7, ticks: []), [])
        XCTAssertThrowsError(try idsForRows(.v7, ticks: [0, Int64.min])) { XCTAssertEqual(category($0 as! IdError), "time-out-of-range") }
        XCTAssertThrowsError(try idsForRows(.v6(node: "no node"), ticks: [0])) { XCTAssertEqual(category($0 as! IdError), "config") }
    }

    func testOrdersOfBytes() throws {
        for vector in try vectors("orders.json").objects("orders") {
            let id = try uuid(vector.text("uuid")!)
            for order in IdOrder.allCases {
                let bytes = try order.encode(id)
                // Cassandra refuses other versions than 1 in a timeuuid.
                if let expected = vector.text(order.rawValue) { XCTAssertEqual(bytes, unhex(expected), "\(order) \(id)") }
                XCTAssertEqual(try order.decode(bytes), id)
            }
        }
        XCTAssertThrowsError(try IdOrder.guid.decode(Data(count: 15))) { XCTAssertEqual(category($0 as! IdError), "parse") }
    }
}
