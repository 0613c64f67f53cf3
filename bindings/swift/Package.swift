// swift-tools-version: 6.0
import PackageDescription

// The static library is that of bindings/c. `scripts/swift.sh` builds it and passes its folder to the linker.
let package = Package(
    name: "Idgen",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "Idgen", targets: ["Idgen"])],
    targets: [
        .systemLibrary(name: "CIdgen"),
        .target(name: "Idgen", dependencies: ["CIdgen"]),
        .executableTarget(name: "idgen-continue", dependencies: ["Idgen"], path: "Tests/Continue"),
        .executableTarget(name: "idgen-bench", dependencies: ["Idgen"], path: "Tests/Bench"),
        .testTarget(name: "IdgenTests", dependencies: ["Idgen"]),
    ]
)
