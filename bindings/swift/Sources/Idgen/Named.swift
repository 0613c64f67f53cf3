import CIdgen
import Foundation

/// UUIDs of versions 3, 5 and 8, which follow from what is given: the same name in the same namespace always has the same id.
public enum Named {
    /// The namespace of names of DNS (RFC 9562, section 6.6).
    public static let dns = UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8")!
    /// The namespace of URLs.
    public static let url = UUID(uuidString: "6ba7b811-9dad-11d1-80b4-00c04fd430c8")!
    /// The namespace of OIDs.
    public static let oid = UUID(uuidString: "6ba7b812-9dad-11d1-80b4-00c04fd430c8")!
    /// The namespace of distinguished names of X.500.
    public static let x500 = UUID(uuidString: "6ba7b814-9dad-11d1-80b4-00c04fd430c8")!

    /// The UUID of version 5 of a name in UTF-8: SHA-1.
    public static func v5(_ name: String, in namespace: UUID) throws -> UUID { try v5(Data(name.utf8), in: namespace) }

    /// The UUID of version 5 of a name: SHA-1.
    public static func v5(_ name: Data, in namespace: UUID) throws -> UUID { try hashed(name, namespace, idgen_v5) }

    /// The UUID of version 3 of a name in UTF-8: MD5. Prefer version 5, unless others have ids of version 3.
    public static func v3(_ name: String, in namespace: UUID) throws -> UUID { try v3(Data(name.utf8), in: namespace) }

    /// The UUID of version 3 of a name: MD5.
    public static func v3(_ name: Data, in namespace: UUID) throws -> UUID { try hashed(name, namespace, idgen_v3) }

    /// The UUID of version 8 of 16 bytes of your own, of which version and variant replace six bits.
    public static func v8(_ bytes: UUID) throws -> UUID {
        try withBytes(of: bytes) { bytes in try read { id, error in idgen_v8(bytes, id, error) } }
    }

    private typealias Function = (
        UnsafePointer<UInt8>?, UnsafePointer<CChar>?, Int, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<idgen_error>?
    ) -> Int32

    private static func hashed(_ name: Data, _ namespace: UUID, _ function: Function) throws -> UUID {
        try withBytes(of: namespace) { namespace in
            try withText(name) { name, length in
                try read { id, error in function(namespace, name, length, id, error) }
            }
        }
    }

    private static func withBytes<T>(of id: UUID, _ run: (UnsafePointer<UInt8>) throws -> T) rethrows -> T {
        try withUnsafeBytes(of: id.uuid) { try run($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
    }
}
