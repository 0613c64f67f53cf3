import CIdgen
import Foundation

/// Texts and other forms of 128-bit ids. A decoder accepts exactly what the encoder writes, apart from the case of digits.
public enum Format: Int32, CaseIterable, Sendable {
    /// 36 characters.
    case hyphenated
    /// 32 hexadecimal digits.
    case simple
    /// 45 characters: `urn:uuid:` and the hyphenated form.
    case urn
    /// 38 characters: the hyphenated form in braces.
    case braced
    /// 22 characters, MySQL's `TO_BASE64()`.
    case base64
    /// 22 characters for URLs.
    case base64url
    /// 22 characters that sort like the bytes.
    case ordered64
    /// 26 characters, the text of a ULID.
    case base32
    /// 26 characters of RFC 4648, padded at the end.
    case base32hex
    /// 26 characters of Crockford's alphabet, padded at the end.
    case base32human
    /// 16 bytes of MySQL's `UUID_TO_BIN(u, 1)`.
    case swapped
    /// Up to 39 decimal digits.
    case int
    /// 16 bytes.
    case binary

    /// False for ``swapped`` and ``binary``, which are bytes.
    public var isText: Bool { self != .swapped && self != .binary }

    /// The name, as the command line and the other languages write it.
    public var name: String { String(cString: idgen_format_name(rawValue)) }

    /// The text of an id. Throws ``IdError/config(_:)`` for a format that is no text.
    public func encode(_ id: UUID) throws -> String {
        try requireText()
        return String(decoding: try encodeToBytes(id), as: UTF8.self)
    }

    /// The form of an id as bytes, those of the text in ASCII if the format is a text.
    public func encodeToBytes(_ id: UUID) throws -> Data {
        var length = 0
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IDGEN_TEXT_SIZE)) { text in
            try withUnsafeBytes(of: id.uuid) { id in
                let id = id.baseAddress!.assumingMemoryBound(to: UInt8.self)
                try call { idgen_encode(rawValue, id, text.baseAddress!, text.count, &length, $0) }
            }
            return Data(bytes: text.baseAddress!, count: length)
        }
    }

    /// The texts of many ids, by one call.
    public func encodeAll(_ ids: [UUID]) throws -> [String] {
        try requireText()
        try checkBatch(ids.count)
        let capacity = Int(IDGEN_TEXT_SIZE) * ids.count
        let lines = try [UInt8](unsafeUninitializedCapacity: capacity) { text, length in
            try ids.withUnsafeBytes { ids in
                let (count, ids) = (ids.count / 16, ids.baseAddress?.assumingMemoryBound(to: UInt8.self))
                let out = UnsafeMutableRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
                try call { idgen_encode_lines(rawValue, ids, count, out, capacity, &length, $0) }
            }
        }
        return lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The id of a text. Throws ``IdError/parse(_:offset:)`` if the text is not of this format, and ``IdError/config(_:)`` for a format that is no
    /// text: its 16 bytes in UTF-8 would be an id.
    public func decode(_ text: String) throws -> UUID {
        guard isText else { throw IdError.config("\(name) is no text: decode its bytes") }
        return try decode(Data(text.utf8))
    }

    /// The id of a text in UTF-8, or of the 16 bytes of ``swapped`` and ``binary``.
    public func decode(_ bytes: Data) throws -> UUID {
        try withText(bytes) { text, length in
            try read { id, error in idgen_decode(rawValue, text, length, id, error) }
        }
    }

    /// Detects the format of a text, and decodes it. Throws ``IdError/parse(_:offset:)`` if several formats could have written it.
    public static func detect(_ text: String) throws -> (format: Format, id: UUID) {
        var format: Int32 = 0
        let id = try withText(Data(text.utf8)) { text, length in
            try read { id, error in idgen_detect(text, length, &format, id, error) }
        }
        return (Format(rawValue: format)!, id)
    }

    private func requireText() throws {
        guard isText else { throw IdError.config("\(name) is no text: call encodeToBytes") }
    }
}

/// The bytes of a text as C reads them.
func withText<T>(_ bytes: Data, _ run: (UnsafePointer<CChar>?, Int) throws -> T) rethrows -> T {
    try bytes.withUnsafeBytes { try run($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
}

func read(_ function: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<idgen_error>) -> Int32) throws -> UUID {
    var id = UUID_NULL
    try withUnsafeMutableBytes(of: &id) { bytes in
        let id = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
        try call { function(id, $0) }
    }
    return UUID(uuid: id)
}

/// Reads the decimal text of a 64-bit id. Throws ``IdError/parse(_:offset:)`` if it is another text.
public func parseShort(_ text: String) throws -> UInt64 {
    var id: UInt64 = 0
    try withText(Data(text.utf8)) { text, length in
        try call { idgen_short_decode(text, length, &id, $0) }
    }
    return id
}

/// The fields of a 64-bit id: seconds since 1970, the 16 bits of the device, and the number of the id in its second.
public func shortFields(_ id: UInt64) -> (unixSeconds: UInt32, node: UInt16, counter: UInt16) {
    (UInt32(truncatingIfNeeded: id >> 32), UInt16(truncatingIfNeeded: id >> 16), UInt16(truncatingIfNeeded: id))
}
