import Foundation
import XCTest

import Idgen

/// What people of Swift expect of the types.
final class ApiTests: XCTestCase {
    func testIdsOfAllForms() throws {
        let ids = try UUIDGenerator.v7()
        let all = try [ids.next()] + ids.batch(3)
        XCTAssertEqual(all.map(\.uuidString), all.map(\.uuidString).sorted())
        XCTAssertEqual(Set(all).count, 4)
        XCTAssertEqual(try ids.batch(0), [])
        XCTAssertEqual(try ids.batchTexts(2, .base64url)[1].count, 22)
        XCTAssertEqual(try Inspection(all[0].uuidString).version, 7)
    }

    /// The examples of RFC 9562, appendix A.2 and A.4, and bytes of one's own.
    func testNamesHaveTheirIds() throws {
        let expect = { (text: String, id: UUID) in XCTAssertEqual(id.uuidString.lowercased(), text) }
        expect("5df41881-3aed-3515-88a7-2f4a814cf09e", try Named.v3("www.example.com", in: Named.dns))
        expect("2ed6657d-e927-568b-95e1-2665a8aea6a2", try Named.v5("www.example.com", in: Named.dns))
        let bytes = UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff")!
        expect("00112233-4455-8677-8899-aabbccddeeff", try Named.v8(bytes))
        XCTAssertEqual(Set(try [Named.dns, Named.url, Named.oid, Named.x500].map { try Named.v5("", in: $0) }).count, 4)
    }

    func testAStateFileIsContinued() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).state")
        defer { for path in [file.path, file.path + ".lock"] { try? FileManager.default.removeItem(atPath: path) } }
        let options = Options(stateFile: file, toleranceMilliseconds: .max)
        var ids: UUIDGenerator? = try UUIDGenerator.v7(options)
        XCTAssertThrowsError(try UUIDGenerator.v7(options))
        let first = try ids!.next()
        ids = nil
        XCTAssertLessThan(first.uuidString, try UUIDGenerator.v7(options).next().uuidString)
        XCTAssertThrowsError(try UUIDGenerator.ulid(options))
    }

    func testMistakesOfACaller() throws {
        let short = Data(count: 15)
        let calls: [() throws -> Any] = [
            { try UUIDGenerator.v7(Options(node: "9f6bdeced846")) },
            { try UUIDGenerator.v1(Options(node: "a\0b")) },
            { try UUIDGenerator.v4(Options(stateFile: URL(fileURLWithPath: "ids.state"))) },
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "https://example.com/x.state")!)) },
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "ids.state")!)) },
            // `URL.path` leaves out a host, a query and a fragment.
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "file://server/tmp/ids.state")!)) },
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "file:///tmp/ids#1.state")!)) },
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "file:///tmp/ids?1.state")!)) },
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "file:///tmp/a%00b.state")!)) },
            { try UUIDGenerator.v7(Options(stateFile: URL(string: "file:///tmp/a%FFb.state")!)) },
            { try UUIDGenerator.v7(Options(stateFile: URL(fileURLWithPath: "/tmp/a\0b.state"))) },
            { try UUIDGenerator.v7(Options(stateFile: URL(fileURLWithPath: "/tmp/no-such-folder/"))) },
            // Its bytes would be an id.
            { try Format.binary.decode("0123456789abcdef") },
            { try Format.swapped.decode("0123456789abcdef") },
            // Both are a time at the end of all times for those who only compare.
            { try idsForRows(.prefixed(.md5Week(), interval: "week", tail: .randomV4), at: [Date(timeIntervalSince1970: .nan)]) },
            { try foreignNumbers(175_928_847_299_117_063, now: Date(timeIntervalSince1970: .nan)) },
            { try UUIDGenerator.prefixed(.sequential(bits: 8, writer: "writer")) },
            { try UUIDGenerator.prefixed(.keyed(secret: short)) },
            { try UUIDGenerator.prefixed(.sequential(bits: 17)) },
            { try UUIDGenerator.prefixed(interval: "fortnight") },
            { try UUIDGenerator.fixedPrefix("xyz") },
            { try Sealer(secret: short) },
            { try TestSources(bytes: Data()) },
            { try PrefixKey(secret: Data(count: 16)).writerTag(prefix: 7) },
            { try UUIDGenerator.v4().batch(-1) },
            { try UUIDGenerator.v4().batch(.max) },
            { try Inspection("f12601c8-007b-8000-8100-006789abcdef", keyedInterval: "a\0b") },
        ]
        for (number, call) in calls.enumerated() {
            XCTAssertThrowsError(try call(), "call \(number)") { thrown in
                guard case .config = thrown as! IdError else { return XCTFail("call \(number): \(thrown)") }
            }
        }
    }

    /// The last week of all times ends after the last time that there is.
    func testAllTimesHaveAnEnd() throws {
        let week: (Int64) throws -> Int = { start in
            try Bounds.prefixed(start..<Int64.max, .md5Week(), interval: "week", tail: .randomV4).count
        }
        XCTAssertTrue(3...5 ~= (try week(Int64.max - 21 * 864_000_000_000)))
        XCTAssertEqual(try Bounds.prefixed(Int64(0)..<Int64(1)).count, 1)
        XCTAssertEqual(try Bounds.fixedPrefix(Int64(0)..<Int64(1)).first.uuidString.prefix(8), "FFFFFFFF")
    }

    /// Only the ids of a writer with a name have its tag.
    func testAWriterOfASequentialPrefix() throws {
        let ids = try [nil, "one", "two"].map { (writer: String?) in
            let sources = try TestSources(bytes: Data([1]))
            return try UUIDGenerator.prefixed(.sequential(writer: writer), options: Options(sources: sources)).next()
        }
        XCTAssertEqual(Set(ids).count, 3)
    }

    func testTheErrorOfAStateNamesTheFile() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ü %41#?\(UUID().uuidString).state")
        defer { for path in [file.path, file.path + ".lock"] { try? FileManager.default.removeItem(atPath: path) } }
        _ = try UUIDGenerator.v7(Options(stateFile: file)).next()
        XCTAssertThrowsError(try UUIDGenerator.ulid(Options(stateFile: file))) { thrown in
            XCTAssertTrue("\(thrown)".contains(file.lastPathComponent), "\(thrown)")
        }
        _ = try UUIDGenerator.v7(Options(stateFile: file)).next()
    }

    func testManyThreadsUseOneGenerator() throws {
        let ids = try ShortGenerator()
        let lock = NSLock()
        nonisolated(unsafe) var seen = Set<UInt64>()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let own = (0..<5_000).map { _ in try! ids.next() }
            lock.withLock { seen.formUnion(own) }
        }
        XCTAssertEqual(seen.count, 20_000)
    }
}
