import DequeModule
import Music
import NIOPosix
import Recording

/// The pending deliveries of one endpoint, in order, one file each: a restart loses none of them.
actor WebhookSpool {
  /// Most pending deliveries; further ones are dropped and counted.
  static let capacity = 10_000
  /// The folder of all spools in the data folder. No folder of a room begins with `_`.
  static let root = "_webhooks"
  private static let ending = ".json"
  /// The file with `edit`.
  private static let editFile = "edits"
  /// What precedes an edit's number in the name of its delivery.
  private static let editMark = "-edit-"
  /// Digits of the milliseconds in a name: until the year 33,658.
  private static let timeDigits = 15

  private let folder: TakeFolder
  private var names: Deque<String> = []
  private var lastTime: Int64 = 0
  private var lastNumber = 0
  private var isClosed = false
  /// The number of the last logged edit that is here or was delivered; nil for a new endpoint.
  private(set) var edit: UInt64?
  /// The same on the disk.
  private var storedEdit: UInt64?
  private let marks: AsyncStream<Void>.Continuation
  /// A signal after each possible addition.
  nonisolated let wakes: AsyncStream<Void>

  /// Opens the spool `key` with the deliveries left by a former process.
  init(_ key: String, in data: String) async throws {
    let path = "\(WebhookSpool.root)/\(key)"
    let (folder, names, edit) = try await NIOThreadPool.singleton.runIfActive {
      let folder = try TakeFolder.obtain(path, in: data)
      try folder.removeParts()
      let names = try folder.names().filter { $0.hasSuffix(WebhookSpool.ending) }
      let edit = try? folder.read(WebhookSpool.editFile, limit: 64)
      return (folder, names, edit.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) })
    }
    self.folder = folder
    storedEdit = edit
    // A delivery may have been stored right before the process was killed.
    self.edit = ([edit] + names.map(WebhookSpool.edit)).compactMap(\.self).max()
    self.names = Deque(names)
    (wakes, marks) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // New deliveries go behind those of a former process, whatever the clock says.
    lastTime = names.map(WebhookSpool.time).max().map { $0 + 1 } ?? 0
    if !names.isEmpty { marks.yield() }
  }

  var count: Int { names.count }

  /// Adds a delivery behind all others; false if the spool is full or ended.
  /// - Parameter edit: the number of an edit in the log. It is kept before the delivery can end, so that no restart
  ///   delivers the edit again.
  func add(_ delivery: WebhookDelivery, edit: UInt64? = nil) async throws -> Bool {
    guard !isClosed, names.count < WebhookSpool.capacity else {
      if let edit { try await pass(edit) }
      return false
    }
    let name = nextName(at: delivery.created, edit)
    let folder = folder
    try await NIOThreadPool.singleton.runIfActive { try folder.write(delivery.file, as: name) }
    if let edit { try await pass(edit) }
    guard !isClosed else {
      await remove(name)
      return false
    }
    names.append(name)
    marks.yield()
    return true
  }

  /// Keeps the number of an edit that needs no further delivery.
  func pass(_ edit: UInt64) async throws {
    self.edit = edit
    let folder = folder
    try await NIOThreadPool.singleton.runIfActive { try folder.write(Array("\(edit)".utf8), as: WebhookSpool.editFile) }
    storedEdit = edit
  }

  /// The same in memory, for an edit that the endpoint does not want; `settle` stores the number of the last of many.
  func skip(_ edit: UInt64) { self.edit = max(edit, self.edit ?? 0) }

  /// Stores the number of the last edit that was skipped.
  func settle() async throws {
    if let edit, edit != storedEdit { try await pass(edit) }
  }

  /// The first delivery, or nil. Unreadable files are removed.
  func first() async -> (name: String, delivery: WebhookDelivery)? {
    while let name = names.first {
      let folder = folder
      let bytes = try? await NIOThreadPool.singleton.runIfActive {
        try folder.read(name, limit: WebhookDelivery.maximumBytes)
      }
      if let delivery = bytes.flatMap(WebhookDelivery.init(file:)) { return (name, delivery) }
      await remove(name)
    }
    return nil
  }

  /// Stores the delivery after an attempt.
  func update(_ name: String, _ delivery: WebhookDelivery) async {
    guard names.contains(name) else { return }
    let folder = folder
    try? await NIOThreadPool.singleton.runIfActive { try folder.write(delivery.file, as: name) }
  }

  func remove(_ name: String) async {
    names.removeAll { $0 == name }
    let folder = folder
    try? await NIOThreadPool.singleton.runIfActive { try folder.remove(name) }
  }

  /// Ends the spool and deletes pending deliveries, because the endpoint is gone.
  func close() async {
    isClosed = true
    let old = names
    names.removeAll()
    let folder = folder
    try? await NIOThreadPool.singleton.runIfActive { for name in old { try folder.remove(name) } }
  }

  /// The milliseconds at the beginning of a name; 0 if they are not a valid time.
  private static func time(of name: String) -> Int64 {
    let digits = name.prefix { $0 != "-" }
    guard digits.utf8.count <= timeDigits, let time = Int64(digits) else { return 0 }
    return max(0, time)
  }

  /// The number of the edit in a delivery's name.
  private static func edit(of name: String) -> UInt64? {
    let parts = name.dropLast(ending.utf8.count).split(separator: "-")
    guard parts.count == 4, parts[2] == "edit" else { return nil }
    return UInt64(parts[3])
  }

  /// Names sort in the order of events, even after the clock was set back.
  private func nextName(at time: WallTime, _ edit: UInt64?) -> String {
    let milliseconds = max(lastTime, time.milliseconds)
    lastNumber = milliseconds == lastTime ? lastNumber + 1 : 0
    lastTime = milliseconds
    func padded(_ value: Int64, _ width: Int) -> String {
      let digits = String(max(0, value))
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let place = "\(padded(milliseconds, WebhookSpool.timeDigits))-\(padded(Int64(lastNumber) + 1, 6))"
    let own = edit.map { "\(WebhookSpool.editMark)\($0)" } ?? "-\(ULID(at: time))"
    return "\(place)\(own)\(WebhookSpool.ending)"
  }
}
