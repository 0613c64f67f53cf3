import CIdgen
import Foundation

/// Orders in which other systems store the 16 bytes of an id.
public enum IdOrder: String, CaseIterable, Sendable {
    /// The bytes of a GUID in .NET and SQL Server: the first three fields have their least significant byte first.
    case guid
    /// Both halves reversed: what MongoDB's old driver for Java wrote (subtype 3), and what ClickHouse's binary formats hold.
    case javaLegacy = "java_legacy"
    /// The bytes that compare from left to right as Cassandra and ScyllaDB compare a `timeuuid`, which has ids of version 1 alone.
    case timeuuid

    var number: Int32 {
        switch self {
        case .guid: return IDGEN_GUID
        case .javaLegacy: return IDGEN_JAVA_LEGACY
        case .timeuuid: return IDGEN_TIMEUUID
        }
    }

    /// The bytes of an id in this order.
    public func encode(_ id: UUID) throws -> Data {
        let bytes = try withUnsafeBytes(of: id.uuid) { id in
            try read { bytes, error in idgen_to_order(number, id.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes, error) }
        }
        return withUnsafeBytes(of: bytes.uuid) { Data($0) }
    }

    /// The id of 16 bytes in this order. Throws ``IdError/parse(_:offset:)`` for another number of bytes.
    public func decode(_ bytes: Data) throws -> UUID {
        guard bytes.count == 16 else { throw IdError.parse("not the bytes of an id: expected 16 bytes, found \(bytes.count)", offset: nil) }
        return try [UInt8](bytes).withUnsafeBufferPointer { bytes in
            try read { id, error in idgen_from_order(number, bytes.baseAddress, id, error) }
        }
    }
}
