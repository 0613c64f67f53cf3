// The speed table of docs/offline.md: this package beside Foundation, interleaved, medians. A page as the argument gets the table.

import Foundation
import Idgen

let count = 1_000
let rounds = 60
let warmUp = 20

struct Case {
    let kind: String
    let name: String
    let one: () throws -> UInt8
    let batch: () throws -> Int
    var single: [Int] = []
    var many: [Int] = []
}

let (v4, v7, short) = (try UUIDGenerator.v4(), try UUIDGenerator.v7(), try ShortGenerator())
var cases = [
    Case(kind: "v4", name: "Foundation's UUID()", one: { UUID().uuid.15 }, batch: { (0..<count).map { _ in UUID() }.count }),
    Case(kind: "v4", name: "**Idgen**", one: { try v4.next().uuid.15 }, batch: { try v4.batch(count).count }),
    Case(kind: "v7", name: "**Idgen**", one: { try v7.next().uuid.15 }, batch: { try v7.batch(count).count }),
    Case(
        kind: "v7", name: "**Idgen**, text", one: { try Format.hyphenated.encode(v7.next()).utf8.last! },
        batch: { try v7.batchTexts(count).count }),
    Case(kind: "short", name: "**Idgen**", one: { UInt8(truncatingIfNeeded: try short.next()) }, batch: { try short.batch(count).count }),
]

/// Nanoseconds of processor time for each id: other programs do not matter much.
func time(_ run: () throws -> Void) rethrows -> Int {
    func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + time.tv_nsec
    }
    let before = now()
    try run()
    return (now() - before) / count
}

/// So that no id can be left out.
var sink = 0
for round in -warmUp..<rounds {
    for at in cases.indices {
        let single = try time { for _ in 0..<count { sink ^= Int(try cases[at].one()) } }
        let many = try time { sink ^= try cases[at].batch() }
        if round >= 0 {
            cases[at].single.append(single)
            cases[at].many.append(many)
        }
    }
}

func median(_ times: [Int]) -> Int { times.sorted()[times.count / 2] }

let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
    .split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? " unknown processor"
let lines =
    [
        "Swift 6 on Linux,\(processor), nanoseconds of processor time, median of \(rounds) interleaved rounds of \(count) ids.", "",
        "| kind | package | one id | batch of 1,000, per id |", "|---|---|---|---|",
    ] + cases.map { "| \($0.kind) | \($0.name) | \(median($0.single)) | \(median($0.many)) |" }
print(lines.joined(separator: "\n"))
if CommandLine.arguments.count > 1 {
    let (page, begin, end) = (CommandLine.arguments[1], "<!-- begin speed-swift -->\n", "<!-- end speed-swift -->")
    let old = try String(contentsOfFile: page, encoding: .utf8)
    guard let from = old.range(of: begin), let to = old.range(of: end) else { fatalError("\(page) has no place for the table") }
    let new = old[..<from.upperBound] + lines.joined(separator: "\n") + "\n" + old[to.lowerBound...]
    try String(new).write(toFile: page, atomically: false, encoding: .utf8)
}
if sink == .min { print(sink) }
