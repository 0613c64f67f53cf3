import CIdgen

/// Why an id could not be made, read or restored.
///
/// Each case has a message that says what was wrong, with which value, and what to do.
public enum IdError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A text is not an id of the format. The offset is that of the first wrong byte of the text in UTF-8, or nil if no single byte is
    /// wrong.
    case parse(String, offset: Int?)
    /// The clock is behind the last id by more than the tolerance.
    case clockBehind(String)
    /// The kind of id cannot hold the time of the clock.
    case timeOutOfRange(String)
    /// All ids of this second, or all clock sequences of a fixed node, are used.
    case exhausted(String)
    /// The system provides no random bytes.
    case entropy(String)
    /// The state file cannot be read, understood, locked or written.
    case state(String)
    /// A setting or an argument is not allowed.
    case config(String)
    /// The process was forked, and the generator would repeat the ids of the parent.
    case forked(String)
    /// The number of the device is leased for other times than that of the clock: see ``DeviceLease``.
    case outsideLease(String)
    /// A bug in idgen.
    case bug(String)

    /// The message.
    public var description: String {
        switch self {
        case .parse(let message, _), .clockBehind(let message), .timeOutOfRange(let message), .exhausted(let message),
            .entropy(let message), .state(let message), .config(let message), .forked(let message),
            .outsideLease(let message), .bug(let message):
            return message
        }
    }

    init(_ error: idgen_error) {
        let message = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix(Int(error.message_length)), as: UTF8.self)
        }
        switch error.status {
        case IDGEN_PARSE: self = .parse(message, offset: error.offset < 0 ? nil : Int(error.offset))
        case IDGEN_CLOCK_BEHIND: self = .clockBehind(message)
        case IDGEN_TIME_OUT_OF_RANGE: self = .timeOutOfRange(message)
        case IDGEN_EXHAUSTED: self = .exhausted(message)
        case IDGEN_ENTROPY: self = .entropy(message)
        case IDGEN_STATE: self = .state(message)
        case IDGEN_CONFIG, IDGEN_ARGUMENT, IDGEN_BUFFER: self = .config(message)
        case IDGEN_FORKED: self = .forked(message)
        case IDGEN_OUTSIDE_LEASE: self = .outsideLease(message)
        default: self = .bug(message)
        }
    }
}

/// Calls a function that returns a status, and throws its error.
func call(_ function: (UnsafeMutablePointer<idgen_error>) -> Int32) throws {
    try withUnsafeTemporaryAllocation(of: idgen_error.self, capacity: 1) { memory in
        let error = memory.baseAddress!
        guard function(error) == IDGEN_OK else { throw IdError(error.pointee) }
    }
}

/// Calls a function that creates an object, and throws its error.
func create(_ function: (UnsafeMutablePointer<idgen_error>) -> OpaquePointer?) throws -> OpaquePointer {
    try withUnsafeTemporaryAllocation(of: idgen_error.self, capacity: 1) { memory in
        let error = memory.baseAddress!
        guard let object = function(error) else { throw IdError(error.pointee) }
        return object
    }
}

/// A text cannot contain a NUL, with which it ends in C.
func checked(_ name: String, _ text: String) throws -> String {
    guard !text.utf8.contains(0) else {
        throw IdError.config("\(name) must not contain a NUL: \"\(text.replacingNul)\"")
    }
    return text
}

extension String {
    fileprivate var replacingNul: String { split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\0") }
}
