// Continues a state file, with the arguments of the example `continue` of crates/idgen: KIND FILE CLOCK COUNT END.

import Foundation
import Idgen

let arguments = CommandLine.arguments
guard arguments.count == 6, let count = Int(arguments[4]) else {
    FileHandle.standardError.write(Data("usage: idgen-continue KIND FILE CLOCK COUNT END\n".utf8))
    exit(2)
}
var random = SystemRandomNumberGenerator()
let bytes = Data((0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) })
let sources = try TestSources(bytes: bytes)
sources.ticks = Int64(arguments[3])!
let options = Options(stateFile: URL(fileURLWithPath: arguments[2]), toleranceMilliseconds: .max, sources: sources)

func show(_ text: String) {
    print(text)
    fflush(nil)
}

/// Without releasing the generator, as after a kill.
func end() {
    if arguments[5] == "abort" { _exit(0) }
}

switch arguments[1] {
case "short":
    let ids = try ShortGenerator(options)
    for _ in 0..<count { show(String(try ids.next())) }
    withExtendedLifetime(ids, end)
case let kind:
    let ids =
        switch kind {
        case "v1": try UUIDGenerator.v1(options)
        case "v6": try UUIDGenerator.v6(options)
        case "ulid": try UUIDGenerator.ulid(options)
        default: try UUIDGenerator.v7(options)
        }
    let format: Format = kind == "ulid" ? .base32 : .hyphenated
    for _ in 0..<count { show(try format.encode(ids.next())) }
    withExtendedLifetime(ids, end)
}
