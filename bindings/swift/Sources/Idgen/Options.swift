import CIdgen
import Foundation

/// What a generator does if the clock is behind the last id by more than the tolerance.
public enum WhenBehind: String, Sendable {
    /// It continues at the time of the clock: ids are unique, but new ones sort before earlier ones. A generator with a state cannot do
    /// that, and throws ``IdError/clockBehind(_:)``.
    case restart
    /// It throws ``IdError/clockBehind(_:)``.
    case error
    /// It blocks the thread until the clock has reached the last id.
    case wait

    var number: Int32 {
        switch self {
        case .restart: return IDGEN_RESTART
        case .error: return IDGEN_ERROR
        case .wait: return IDGEN_WAIT
        }
    }
}

/// What all kinds of generators have in common.
public struct Options: Sendable {
    /// The state file, or nil for no state: a URL of a file. It is written ahead: after a crash, ids continue behind those that may have been returned. One
    /// generator at a time can hold it.
    public var stateFile: URL?
    /// By how many milliseconds the clock may be behind while ids continue from the time of the last one; `UInt64.max` for any.
    public var toleranceMilliseconds: UInt64
    /// What happens beyond the tolerance.
    public var whenBehind: WhenBehind
    /// The node of versions 1 and 6 and of 64-bit ids as twelve hexadecimal digits, or nil for a random one.
    public var node: String?
    /// A clock and random bytes for tests, or nil for those of the system.
    public var sources: TestSources?
    /// How many milliseconds one call may wait, with ``WhenBehind/wait`` or for the next second after 65,536 ids of 64 bits; `UInt64.max` for
    /// any time.
    public var longestWaitMilliseconds: UInt64

    /// Options that differ from the defaults where you pass a value.
    public init(
        stateFile: URL? = nil, toleranceMilliseconds: UInt64 = 10_000, whenBehind: WhenBehind = .restart, node: String? = nil,
        sources: TestSources? = nil, longestWaitMilliseconds: UInt64 = 60_000
    ) {
        self.stateFile = stateFile
        self.toleranceMilliseconds = toleranceMilliseconds
        self.whenBehind = whenBehind
        self.node = node
        self.sources = sources
        self.longestWaitMilliseconds = longestWaitMilliseconds
    }
}

/// How an interval becomes the first 16 bits of a prefixed id.
public enum Prefix: Sendable {
    /// The number of the interval modulo 2^bits, 1 to 16. It does not hide the time. The tag of a named writer, which needs 16 bits and an
    /// ascending tail, keeps the rows of each writer together.
    case sequential(bits: Int32 = 16, writer: String? = nil)
    /// A keyed permutation: without the secret, which has at least 16 bytes, the prefix does not reveal the interval. Each named writer has
    /// one of its own.
    case keyed(secret: Data, writer: String? = nil)
    /// The prefix that MySQL computes for a week.
    case md5Week(utcOffsetSeconds: Int32 = 0)
}

/// What follows the prefix of a prefixed id.
public enum Tail: String, Sendable {
    /// Ids of an interval ascend.
    case ascending
    /// Random bits, with the version field 4.
    case randomV4 = "random-v4"
    /// Random bits, with the version field 8.
    case randomV8 = "random-v8"

    var number: Int32 {
        switch self {
        case .ascending: return IDGEN_ASCENDING
        case .randomV4: return IDGEN_RANDOM_V4
        case .randomV8: return IDGEN_RANDOM_V8
        }
    }
}

/// The settings of a generator, with the memory to which they point.
struct Settings {
    var settings = idgen_settings()
    private var texts: [UnsafeMutablePointer<CChar>] = []

    /// Creates a generator: `configure` changes the settings of the kind.
    static func create(_ kind: Int32, _ options: Options, _ configure: (inout Settings) throws -> Void = { _ in }) throws -> OpaquePointer {
        var settings = Settings()
        defer { settings.texts.forEach { free($0) } }
        settings.initialize(kind)
        settings.settings.when_behind = options.whenBehind.number
        settings.settings.tolerance_ms = options.toleranceMilliseconds
        settings.settings.longest_wait_ms = options.longestWaitMilliseconds
        settings.settings.state_path = try settings.text("stateFile", try options.stateFile.map(path(of:)))
        settings.settings.node = try settings.text("node", options.node)
        if let sources = options.sources {
            settings.settings.fixed = sources.pointer
            settings.settings.fixed_state = sources.keepsState && kind != IDGEN_V4 && options.stateFile == nil
        }
        try configure(&settings)
        return try withExtendedLifetime(options.sources) {
            try Idgen.create { idgen_generator_new(&settings.settings, $0) }
        }
    }

    /// The path of a file. `URL.path` leaves out what a path cannot hold, so that two URLs would be one file.
    private static func path(of file: URL) throws -> String {
        let isLocal = file.host ?? "" == "" || file.host == "localhost"
        let isWhole = isLocal && file.query == nil && file.fragment == nil && !file.absoluteString.contains("%00")
        guard file.isFileURL, isWhole, !file.hasDirectoryPath, !file.path.isEmpty else {
            throw IdError.config("the URL of a state file must be that of a file, not \(file.absoluteString): use URL(fileURLWithPath:)")
        }
        return file.path
    }

    /// Sets the defaults. The function without a size initializes the first settings alone.
    private mutating func initialize(_ kind: Int32) {
        idgen_settings_init_sized(&settings, MemoryLayout<idgen_settings>.stride, kind)
    }

    /// Runs a function with the settings of a kind: `configure` changes them.
    static func with<T>(_ kind: Int32, _ configure: (inout Settings) throws -> Void, _ run: (UnsafePointer<idgen_settings>) throws -> T) throws -> T {
        var settings = Settings()
        defer { settings.texts.forEach { free($0) } }
        settings.initialize(kind)
        try configure(&settings)
        return try run(&settings.settings)
    }

    /// The settings of prefixed ids.
    mutating func setPrefixed(_ prefix: Prefix, _ interval: String, _ tail: Tail) throws {
        settings.interval = try text("interval", interval)
        settings.tail = tail.number
        switch prefix {
        case .sequential(let bits, let writer):
            settings.prefix_bits = bits
            settings.writer = try text("writer", writer)
        case .keyed(let secret, let writer):
            settings.prefix = IDGEN_KEYED
            settings.secret = bytes(secret)
            settings.secret_length = secret.count
            settings.writer = try text("writer", writer)
        case .md5Week(let utcOffsetSeconds):
            settings.prefix = IDGEN_MD5_WEEK
            settings.utc_offset_secs = utcOffsetSeconds
        }
    }

    /// A copy of a text, which lives as long as the settings.
    mutating func text(_ name: String, _ value: String?) throws -> UnsafePointer<CChar>? {
        guard let value else { return nil }
        let copy = strdup(try checked(name, value))!
        texts.append(copy)
        return UnsafePointer(copy)
    }

    /// A copy of bytes, which lives as long as the settings.
    mutating func bytes(_ value: Data) -> UnsafePointer<UInt8> {
        let copy = malloc(max(value.count, 1))!
        value.copyBytes(to: copy.assumingMemoryBound(to: UInt8.self), count: value.count)
        texts.append(copy.assumingMemoryBound(to: CChar.self))
        return UnsafePointer(copy.assumingMemoryBound(to: UInt8.self))
    }
}
