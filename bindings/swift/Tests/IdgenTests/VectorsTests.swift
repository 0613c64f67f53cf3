import CIdgen
import Foundation
import XCTest

@testable import Idgen

/// The vectors that all implementations share, and the random cases that the Rust library prints.
final class VectorsTests: XCTestCase {
    private func format(_ name: String) -> Format {
        Format.allCases.first { $0.name == (name == "base64sort" ? "ordered64" : name) }!
    }

    private func checkDecoded(_ vector: Object) throws {
        let (format, text) = (format(vector.text("format")!), vector.text("text")!)
        if vector.has("message") { return assertFails(vector) { try format.decode(text) } }
        XCTAssertEqual(try format.decode(text).uuidString.lowercased(), vector.text("id"))
    }

    private func time(_ ticks: Int64?) -> String? {
        ticks.map { ticks in
            var text = [CChar](repeating: 0, count: Int(IDGEN_TIME_SIZE))
            XCTAssertEqual(idgen_time_text(ticks, &text, text.count, nil), IDGEN_OK)
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    private func checkInspection(_ vector: Object) throws {
        let text = vector.text("text")!
        let see = {
            guard let interval = vector.text("interval") else { return try Inspection(text) }
            return try Inspection(text, keyedInterval: interval, isNamed: vector["named"] as! Bool)
        }
        if vector.has("error") { return assertFails(vector, see) }
        let seen = try see()
        let name = "\(vector)"
        XCTAssertEqual(seen.id?.uuidString.lowercased() ?? seen.shortId.map { String($0) }, vector.text("id"), name)
        XCTAssertEqual(seen.format?.name, vector.text("format"), name)
        XCTAssertEqual(seen.nature, vector.text("nature"), name)
        XCTAssertEqual(time(seen.ticks), vector.text("time"), name)
        XCTAssertEqual(time(seen.tailTicks), vector.text("tail_time"), name)
        XCTAssertEqual(seen.node, vector.text("node"), name)
        let numbers: [(String, Int64?)] = [
            ("version", seen.version.map { Int64($0) }), ("clock_sequence", seen.clockSequence.map { Int64($0) }),
            ("counter", seen.counter.map { Int64($0) }), ("prefix", seen.prefix.map { Int64($0) }),
            ("round", seen.round.map { Int64($0) }), ("offset_ms", seen.offsetMilliseconds.map { Int64($0) }),
            ("writer_tag", seen.writerTag.map { Int64($0) }),
            ("fraction_ns", seen.fractionNanoseconds.map { Int64($0) }),
        ]
        for (field, value) in numbers { XCTAssertEqual(value, vector.number(field), "\(field) of \(vector)") }
    }

    private func checkForms(_ id: UUID, _ forms: Object) throws {
        for (name, form) in forms where name != "section" && name != "uuid" {
            let (format, form) = (format(name), form as! String)
            if !format.isText {
                XCTAssertEqual(try format.encodeToBytes(id), unhex(form))
                XCTAssertEqual(try format.decode(unhex(form)), id)
                XCTAssertThrowsError(try format.encode(id))
                continue
            }
            XCTAssertEqual(try format.encode(id), form)
            XCTAssertEqual(try format.encodeAll([id, id]), [form, form])
            XCTAssertEqual(try format.decode(form), id)
        }
    }

    func testGenerators() throws {
        // The ids of a server's UUID_SHORT() have no place in an app.
        for vector in try vectors("generators.json").objects("generators") where vector.text("kind") != "mysql-short" {
            try replay(vector, "\(vector.text("kind")!): \(vector.text("name")!)")
        }
    }

    func testLeases() throws {
        let file = try vectors("leases.json")
        for vector in file.objects("generators") { try replay(vector, vector.text("name")!) }
        for vector in file.objects("leases") {
            let lease = lease(vector)
            if vector.has("error") {
                assertFails(vector) { try ShortGenerator(lease: lease) }
                continue
            }
            let sources = try TestSources(bytes: Data([7]))
            let options = Options(toleranceMilliseconds: .max, sources: sources)
            let (first, last) = (vector.number("first_sec")!, vector.number("last_sec")!)
            for second in [first, last] {
                sources.ticks = second * 10_000_000
                XCTAssertEqual(Int64(shortFields(try ShortGenerator(options, lease: lease).next()).node), vector.number("number"))
            }
            for second in [first - 1, last + 1] where 1...0xFFFF_FFFF ~= second {
                sources.ticks = second * 10_000_000
                XCTAssertThrowsError(try ShortGenerator(options, lease: lease).next()) {
                    XCTAssertEqual(category($0 as! IdError), "outside-lease")
                }
            }
        }
    }

    func testCodecs() throws {
        let codecs = try vectors("codecs.json")
        for forms in codecs.objects("ids") { try checkForms(Format.binary.decode(unhex(forms.text("binary")!)), forms) }
        for vector in codecs.objects("accepted") + codecs.objects("refused") { try checkDecoded(vector) }
        for vector in codecs.objects("detected") {
            if vector.has("message") {
                assertFails(vector) { try Format.detect(vector.text("text")!) }
                continue
            }
            let (found, id) = try Format.detect(vector.text("text")!)
            XCTAssertEqual(found.name, vector.text("format"))
            XCTAssertEqual(id, try uuid(vector.text("id")!))
        }
        for vector in codecs.objects("short") {
            let text = vector.text("text")!
            if vector.has("message") {
                assertFails(vector) { try parseShort(text) }
                continue
            }
            let (device, id) = (vector["device"] as! Object, try parseShort(text))
            XCTAssertEqual(String(id), text)
            XCTAssertEqual(Int64(shortFields(id).unixSeconds), device.number("unix_secs"))
            XCTAssertEqual(Int64(shortFields(id).node), device.number("node"))
            XCTAssertEqual(Int64(shortFields(id).counter), device.number("counter"))
        }
        let encodings = try vectors("encodings.json")
        for vector in encodings.objects("valid") { try checkForms(uuid(vector.text("uuid")!), vector) }
        for vector in encodings.objects("invalid") {
            XCTAssertThrowsError(try format(vector.text("format")!).decode(vector.text("text")!)) { thrown in
                guard case .parse(_, let offset) = thrown as! IdError else { return XCTFail("\(thrown)") }
                XCTAssertEqual(offset, vector.number("offset").map { Int($0) }, "\(vector)")
            }
        }
    }

    func testInspections() throws {
        let inspections = try vectors("inspections.json")
        for vector in inspections.objects("inspections") + inspections.objects("keyed") { try checkInspection(vector) }
    }

    private func checkAnswers(_ key: Sealer, _ answers: [Object]) throws {
        for answer in answers {
            let seals = answer.text("do") == "seal"
            let given = try uuid(answer.text(seals ? "id" : "sealed")!)
            if answer.has("error") {
                assertFails(answer) { seals ? try key.seal(given) : try key.open(given) }
                continue
            }
            let (id, sealed) = (try uuid(answer.text("id")!), try uuid(answer.text("sealed")!))
            if seals { XCTAssertEqual(try key.seal([id, id]), [sealed, sealed]) }
            XCTAssertEqual(try key.open(sealed), id)
        }
    }

    func testSealedIds() throws {
        let seals = try vectors("seals.json")
        for vector in seals.objects("keys") {
            let secret = unhex(vector.text("secret")!)
            if vector.has("error") {
                assertFails(vector) { try Sealer(secret: secret) }
            } else {
                try checkAnswers(Sealer(secret: secret), vector.objects("answers"))
            }
        }
        for vector in seals.objects("rings") {
            let secrets = (vector["secrets"] as! [String]).map(unhex)
            let times = (vector["from_unix_ms"] as! [NSNumber]).map { $0.int64Value }
            let later = zip(times, secrets.dropFirst()).map { (fromUnixMilliseconds: $0, secret: $1) }
            if vector.has("error") {
                assertFails(vector) { try Sealer(ring: secrets[0], later) }
            } else {
                try checkAnswers(Sealer(ring: secrets[0], later), vector.objects("answers"))
            }
        }
    }

    func testIdsOfOtherGenerators() throws {
        let inspections = try vectors("inspections.json")
        let times = ISO8601DateFormatter()
        for vector in inspections.objects("foreign_texts") {
            checkReadings(vector, try foreignTexts(vector.text("text")!))
        }
        for vector in inspections.objects("foreign_numbers") {
            let now = times.date(from: vector.text("now")!)!
            checkReadings(vector, try foreignNumbers(UInt64(vector.text("number")!)!, now: now))
        }
    }

    private func checkReadings(_ vector: Object, _ seen: [ForeignId]) {
        let expected = vector.objects("readings")
        XCTAssertEqual(seen.map(\.kind), expected.map { $0.text("kind")! }, "\(vector)")
        XCTAssertEqual(seen.map { $0.id?.uuidString.lowercased() }, expected.map { $0.text("uuid") }, "\(vector)")
        XCTAssertEqual(seen.map { time($0.ticks) }, expected.map { $0.text("time") }, "\(vector)")
    }

    func testStateFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("ids.state")
        let states = try vectors("states.json")
        for vector in states.objects("written") {
            try Data(vector.text("text")!.utf8).write(to: file)
            _ = try generator(vector.text("kind")!, [:], Options(stateFile: file))
        }
        for vector in states.objects("damaged") {
            try Data(vector.text("text")!.utf8).write(to: file)
            XCTAssertThrowsError(try UUIDGenerator.v7(Options(stateFile: file))) { XCTAssertEqual(category($0 as! IdError), "state") }
        }
    }

    func testKeyedPrefixes() throws {
        let prefixed = try vectors("prefixed.json")
        func key(_ vector: Object) throws -> PrefixKey {
            try PrefixKey(secret: Data(vector.text("secret")!.utf8), writer: vector.text("writer"))
        }
        for vector in prefixed.objects("keyed_prefix") {
            XCTAssertEqual(Int64(try key(vector).prefix(intervalNumber: vector.number("number")!)), vector.number("prefix"))
        }
        for vector in prefixed.objects("writer_tag") {
            XCTAssertEqual(Int64(try key(vector).writerTag(prefix: UInt16(vector.number("prefix")!))), vector.number("tag"))
        }
    }

    func testRandomCases() throws {
        let path = try XCTUnwrap(ProcessInfo.processInfo.environment["IDGEN_CASES_FILE"], "run scripts/swift.sh, which sets it")
        var count = 0
        for line in try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n")) {
            let vector = try parse(line)
            if vector.has("steps") {
                try replay(vector, String(decoding: line, as: UTF8.self))
            } else if let secret = vector.text("secret") {
                XCTAssertEqual(try Sealer(secret: unhex(secret)).seal(uuid(vector.text("id")!)), try uuid(vector.text("sealed")!))
            } else if vector.has("nature") || vector.has("error") {
                try checkInspection(vector)
            } else {
                try checkDecoded(vector)
            }
            count += 1
        }
        XCTAssertEqual(ProcessInfo.processInfo.environment["IDGEN_CASES"], String(count))
        print("\(count) random cases agree with the Rust library")
    }
}
