/// The rules of docs/architecture.md that a reading of the sources can check.
enum ModuleRules {
  /// Modules of ours that each module may import.
  static let allowed: [String: Set<String>] = [
    "Machines": [],
    "Music": [],
    "Realtime": ["Machines"],
    "Signaling": ["Machines", "Music"],
    "Recording": ["Machines", "Music", "Realtime"],
    "Catalog": ["Machines", "Music", "Migrations"],
    "Library": ["Machines", "Music", "Signaling", "Recording"],
    "Client": ["Machines", "Music", "Signaling", "Recording"],
    "Rooms": ["Machines", "Music", "Realtime", "Signaling", "Recording", "Library"],
    "Server": [
      "Machines", "Music", "Realtime", "Signaling", "Recording", "Catalog", "Library", "Rooms", "Client", "Resources",
    ],
    "jamjar": [
      "Machines", "Music", "Realtime", "Signaling", "Recording", "Catalog", "Library", "Rooms", "Client", "Server",
    ],
  ]

  /// Modules that import nothing at all.
  static let selfContained: Set<String> = ["Machines", "Music"]

  /// Which of our modules may import a library: "only Rooms knows libnice".
  static let owners: [String: Set<String>] = [
    "GRDB": ["Catalog"], "GRDBSQLite": ["Catalog"], "CPQ": ["Catalog"],
    "CNice": ["Rooms"],
    "COpenSSL": ["Client", "Realtime", "Recording", "Server"],
    "COpus": ["Recording"],
    "CSndFile": ["Recording"],
    "CZlib": ["Realtime", "Recording", "Server"],
    "CAVCodec": ["Server"],
    // The tests' measure of loudness.
    "CEBUR128": [],
    "CValgrind": [],
    // The tests' measure of SRTP.
    "CSRTP": [],
    "Hummingbird": ["Server"],
    "HummingbirdCore": ["Server"],
    "HummingbirdTLS": ["Server"],
    "NIOHTTP1": ["Client", "Server"],
    "NIOWebSocket": ["Client", "Server"],
    "AsyncHTTPClient": ["Client", "Server"],
    "ArgumentParser": ["jamjar"],
    "Configuration": ["jamjar"],
  ]

  /// Folders whose code is pure: no clock, no concurrency, no input or output.
  static let pureFolders = [
    "Sources/Machines", "Sources/Music", "Sources/Realtime", "Sources/Signaling", "Sources/Recording/Journal",
    "Sources/Recording/Timeline", "Sources/Recording/Align", "Sources/Recording/Mix", "Sources/Recording/Decode",
    "Sources/Recording/Perspective", "Sources/Recording/Live", "Sources/Server/QRCode", "Sources/jamjar/Doctor/Checks",
  ]

  /// What a pure folder may not contain, as whole words; comments and strings are left out before the search.
  static let impureWords = [
    "await", "Task", "Date", "Logger", "Dispatch", "DispatchQueue", "Mutex", "print", "FileHandle", "FileManager",
    "ContinuousClock", "SuspendingClock", "clock_gettime",
  ]

  /// Names that say nothing.
  static let emptyNames = ["Common", "Core", "Utils", "Helpers", "Manager", "Helper"]
}
