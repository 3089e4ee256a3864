import DequeModule
import Music
import NIOPosix
import Recording

/// The deliveries of one endpoint that wait, in order, one file each: a restart loses none of them.
actor WebhookSpool {
  /// Deliveries that wait at most; what comes when it is full is dropped and counted.
  static let capacity = 10_000
  /// The folder of all spools in the data folder. No folder of a room begins with `_`.
  static let root = "_webhooks"
  private static let ending = ".json"
  /// Digits of the milliseconds in a name: until the year 33,658.
  private static let timeDigits = 15

  private let folder: TakeFolder
  private var names: Deque<String> = []
  private var lastTime: Int64 = 0
  private var lastNumber = 0
  private var isClosed = false
  private let marks: AsyncStream<Void>.Continuation
  /// A mark for each time that something may have come.
  nonisolated let wakes: AsyncStream<Void>

  /// Opens the spool `key`, with what a former process left in it.
  init(_ key: String, in data: String) async throws {
    let path = "\(WebhookSpool.root)/\(key)"
    let (folder, names) = try await NIOThreadPool.singleton.runIfActive {
      let folder = try TakeFolder.obtain(path, in: data)
      try folder.removeParts()
      return (folder, try folder.names().filter { $0.hasSuffix(WebhookSpool.ending) })
    }
    self.folder = folder
    self.names = Deque(names)
    (wakes, marks) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // New ones come behind those that a former process wrote, whatever the clock says.
    lastTime = names.map(WebhookSpool.time).max().map { $0 + 1 } ?? 0
    if !names.isEmpty { marks.yield() }
  }

  var count: Int { names.count }

  /// Adds a delivery behind all others; false where the spool is full or ended.
  func add(_ delivery: WebhookDelivery) async throws -> Bool {
    guard !isClosed, names.count < WebhookSpool.capacity else { return false }
    let name = nextName(at: delivery.created)
    let folder = folder
    try await NIOThreadPool.singleton.runIfActive { try folder.write(delivery.file, as: name) }
    guard !isClosed else {
      await remove(name)
      return false
    }
    names.append(name)
    marks.yield()
    return true
  }

  /// The first delivery, nil where none waits. Files that cannot be read are taken out.
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

  /// Stores what an attempt changed.
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

  /// Takes nothing any more and forgets what waits: the endpoint is gone.
  func close() async {
    isClosed = true
    let old = names
    names.removeAll()
    let folder = folder
    try? await NIOThreadPool.singleton.runIfActive { for name in old { try folder.remove(name) } }
  }

  /// The milliseconds that a name begins with; of a name that is none of ours, those that there is room for.
  private static func time(of name: String) -> Int64 {
    let digits = name.prefix { $0 != "-" }
    guard digits.utf8.count <= timeDigits, let time = Int64(digits) else { return 0 }
    return max(0, time)
  }

  /// Names sort as the events came, even where the clock was set back.
  private func nextName(at time: WallTime) -> String {
    let milliseconds = max(lastTime, time.milliseconds)
    lastNumber = milliseconds == lastTime ? lastNumber + 1 : 0
    lastTime = milliseconds
    func padded(_ value: Int64, _ width: Int) -> String {
      let digits = String(max(0, value))
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let place = "\(padded(milliseconds, WebhookSpool.timeDigits))-\(padded(Int64(lastNumber) + 1, 6))"
    return "\(place)-\(ULID(at: time))\(WebhookSpool.ending)"
  }
}
