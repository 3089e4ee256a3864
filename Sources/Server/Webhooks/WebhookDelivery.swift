import Music
import Signaling

/// One event on its way to one endpoint, as stored in the spool.
struct WebhookDelivery: Hashable, Sendable {
  /// Stays the same for every attempt, so that a receiver can detect repetitions.
  var id: String
  var created: WallTime
  var attempts: Int
  /// Earliest time of the next attempt.
  var due: WallTime
  /// The body, sent and signed byte for byte.
  var body: String
  /// What a request without a body (GET) says in its address instead; nil for a POST.
  var query: String?

  init(_ numbered: NumberedEvent) {
    let event = numbered.event
    id = "msg_\(ULID(at: event.time))"
    created = event.time
    attempts = 0
    due = event.time
    var data = JSONObject()
    for member in Representation.event(event).members where !["type", "time"].contains(member.name) {
      data[member.name] = member.value
    }
    let body: JSONValue = [
      "type": .string(event.kind.rawValue), "timestamp": .string(event.time.description), "data": .object(data),
    ]
    self.body = body.text
  }

  /// A body of its own form, for callbacks of other interfaces.
  init(_ body: JSONObject, at time: WallTime) {
    id = "msg_\(ULID(at: time))"
    created = time
    attempts = 0
    due = time
    self.body = JSONValue.object(body).text
  }

  /// A request without a body.
  /// - Parameter query: pairs as they stand in an address, `name=value` joined by `&`.
  init(query: String, at time: WallTime) {
    id = "msg_\(ULID(at: time))"
    created = time
    attempts = 0
    due = time
    body = ""
    self.query = query
  }

  /// Largest file to read, in bytes: an event has some hundred.
  static let maximumBytes = 1 << 20

  /// Reads a file of the spool; nil if it is not ours.
  init?(file: [UInt8]) {
    let limits = JSONLimits(bytes: WebhookDelivery.maximumBytes, stringBytes: WebhookDelivery.maximumBytes)
    guard let object = (try? JSONValue(parsing: file, limits: limits))?.object, let id = object["id"]?.string,
      let created = object["created"]?.string.flatMap({ WallTime($0) }),
      let due = object["due"]?.string.flatMap({ WallTime($0) }),
      let attempts = object["attempts"]?.integer, (0...1_000_000).contains(attempts),
      let body = object["body"]?.string
    else { return nil }
    self.id = id
    self.created = created
    self.due = due
    self.attempts = Int(attempts)
    self.body = body
    query = object["query"]?.string
  }

  var file: [UInt8] {
    var object: JSONObject = [
      "id": .string(id), "created": .string(created.description), "attempts": .integer(Int64(attempts)),
      "due": .string(due.description), "body": .string(body),
    ]
    if let query { object["query"] = .string(query) }
    return JSONValue.object(object).bytes
  }
}
