// swift-tools-version: 6.2
import PackageDescription

/// One list for every target of ours, so that no module is laxer than another.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Signal processing is optimised in debug builds too: tests that render minutes of audio would take minutes otherwise.
let optimised: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// What tests of the server import.
let serverTests: [Target.Dependency] = [
  "Machines", "Music", "Realtime", "Recording", "Signaling", "Catalog", "Library", "Rooms", "Client", "Server",
  "TestSupport",
  .product(name: "AsyncHTTPClient", package: "async-http-client"),
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "NIOSSL", package: "swift-nio-ssl"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

let package = Package(
  name: "jamjar",
  products: [
    .executable(name: "jamjar", targets: ["jamjar"])
  ],
  dependencies: [
    // HTTP/1 server, router, middleware, TLS: the face of the service.
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    // The HTTP-or-WebSocket upgrade on one port, and the WebSocket client of the command line and the tests.
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    // HTTP types shared by router and client.
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    // Our own client side: WHIP, REST from the command line.
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    // Logging and start/stop order, the server-side Swift standards.
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    // SQLite with migrations, WAL pool and FTS5.
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    // Command line and layered configuration.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
    // Deque for the queues of the packet path.
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
  ],
  targets: [
    // Debian's C libraries: a module map and a shim for macros each.
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    // pkg-config of nice says -pthread, which SwiftPM warns about; gobject-2.0 gives the same include folders.
    .systemLibrary(name: "CNice", pkgConfig: "gobject-2.0", providers: [.apt(["libnice-dev"])]),
    .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    // CRC-32 of ZIP archives, at more than 1 GB/s, and the compression of WebSocket messages.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // What the tests hold our own loudness against.
    .systemLibrary(name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
    // What the tests hold our own SRTP against.
    .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"])]),
    // Marks of what script/bench watch counts.
    .systemLibrary(name: "CValgrind", providers: [.apt(["valgrind"])]),
    // The client of PostgreSQL, for an index that several nodes share.
    .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // epoll, eventfd and recvmmsg, which Glibc's module map leaves out.
    .systemLibrary(name: "CLinux"),

    // Decoders and AAC encoder of libavcodec, which is loaded at run time by the process that converts.
    .target(name: "CAVCodec"),

    // The web studio and the description of REST, as bytes: clang reads in a moment what swiftc takes minutes for.
    .target(name: "Resources", exclude: ["studio", "openapi", "embed.h"]),

    .target(name: "Machines", swiftSettings: strict),
    .target(name: "Music", swiftSettings: strict),
    .target(name: "Realtime", dependencies: ["Machines", "COpenSSL", "CZlib"], swiftSettings: strict),
    .target(name: "Signaling", dependencies: ["Machines", "Music"], swiftSettings: strict),
    .target(
      name: "Recording",
      dependencies: ["Machines", "Music", "Realtime", "COpus", "CSndFile", "CLinux", "COpenSSL", "CZlib"],
      swiftSettings: optimised),
    .target(
      name: "Migrations", path: "Migrations",
      resources: [
        .embedInCode("0001_catalog.sql"), .embedInCode("0002_library.sql"), .embedInCode("0003_bounds.sql"),
        .embedInCode("0004_comments.sql"), .embedInCode("0005_drops.sql"),
        .embedInCode("0006_talks.sql"), .embedInCode("0007_meta.sql"),
        .embedInCode("PostgreSQL/pg_0001_catalog.sql"),
      ],
      swiftSettings: strict),
    .target(
      name: "Catalog",
      dependencies: [
        "Machines", "Music", "Migrations", "CPQ", "CLinux", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .target(
      name: "Library",
      dependencies: [
        "Machines", "Music", "Signaling", "Recording",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: strict),
    .target(
      name: "Client",
      dependencies: [
        "Machines", "Music", "Signaling", "Recording", "COpenSSL",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
      ],
      swiftSettings: strict),
    .target(
      name: "Rooms",
      dependencies: [
        "Machines", "Music", "Realtime", "Signaling", "Recording", "Library", "CNice", "CLinux",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: strict),
    .target(
      name: "Server",
      dependencies: [
        "Machines", "Music", "Realtime", "Signaling", "Recording", "Catalog", "Library", "Rooms", "Client", "Resources",
        "COpenSSL", "CZlib", "CAVCodec",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "jamjar",
      dependencies: [
        "Machines", "Music", "Realtime", "Signaling", "Recording", "Catalog", "Library", "Rooms", "Client", "Server",
        "CLinux",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: strict),

    .target(
      name: "TestSupport",
      dependencies: ["Machines", "Music", "Realtime", "Recording", "CLinux", "COpenSSL", "CZlib"],
      path: "Tests/Support",
      swiftSettings: optimised),
    // What the recorder keeps, in figures: script/bench fidelity; and work to count instructions of: script/bench watch.
    .executableTarget(
      name: "jamjar-fidelity",
      dependencies: ["Catalog", "Machines", "Music", "Realtime", "Recording", "TestSupport", "CValgrind"],
      path: "Tests/Fidelity", swiftSettings: strict),
    // The doors for bytes from outside as functions, for libFuzzer (script/fuzz) and for the tests.
    .target(
      name: "FuzzTargets", dependencies: ["Machines", "Music", "Realtime", "Signaling", "Recording"],
      path: "Fuzz/Targets", swiftSettings: strict),
    .target(
      name: "FuzzServerTargets", dependencies: ["FuzzTargets", "Machines", "Music", "Signaling", "Catalog", "Server"],
      path: "Fuzz/ServerTargets", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "FuzzTargets", "FuzzServerTargets", "Music", "Server", "TestSupport",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .testTarget(name: "MusicTests", dependencies: ["Music", "Machines", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RealtimeTests", dependencies: ["Machines", "Realtime", "TestSupport", "COpenSSL", "CSRTP"],
      swiftSettings: strict),
    .testTarget(
      name: "SignalingTests", dependencies: ["Machines", "Music", "Signaling", "TestSupport"],
      exclude: ["RTMP/Vectors"], swiftSettings: strict),
    .testTarget(
      name: "RecordingTests",
      dependencies: ["Machines", "Music", "Realtime", "Recording", "TestSupport", "CEBUR128", "CSndFile"],
      swiftSettings: strict),
    .testTarget(
      name: "CatalogTests",
      dependencies: ["Catalog", "Music", "Migrations", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")],
      swiftSettings: strict),
    .testTarget(
      name: "RoomsTests",
      dependencies: [
        "Machines", "Music", "Realtime", "Signaling", "Recording", "Catalog", "Library", "Rooms", "CLinux", "CNice",
        "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // Two modules, which are compiled side by side; the second has what the first supports its tests with (a link).
    .testTarget(
      name: "ServerTests", dependencies: serverTests, exclude: ["Objects/s3.py"], swiftSettings: strict),
    .testTarget(name: "DialectTests", dependencies: serverTests, swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "Client", "Machines", "Music", "Realtime", "Recording", "Rooms", "Server", "Signaling", "TestSupport", "jamjar",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Music", "Recording", "Signaling", "Client", "CLinux", "TestSupport",
        // The programs that are tested, so that one build makes all.
        "jamjar", "jamjar-fidelity",
      ],
      exclude: ["Pages", "Peers", "Views"], swiftSettings: strict),
  ],
  // For #embed.
  cLanguageStandard: .c2x
)

/// The program of `script/fuzz`. It is there only when asked for, because it links with `--sanitize fuzzer` alone;
/// "server" adds the targets that need the server, which takes long to build.
if let scope = Context.environment["JAMJAR_FUZZ"] {
  let server = scope == "server"
  package.targets.append(
    .executableTarget(
      name: "jamjar-fuzz", dependencies: server ? ["FuzzTargets", "FuzzServerTargets"] : ["FuzzTargets"],
      path: "Fuzz/Driver", swiftSettings: server ? strict + [.define("SERVER")] : strict))
}
