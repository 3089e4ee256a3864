import Machines
import Music

/// `POST /session/create`: its form, and the answer in JSON or XML.
package enum OpenTokCreation {
  /// Most fields of a form.
  private static let most = 32

  /// The choices of a form; fields that are not known are ignored, as SDKs send new ones.
  /// - Throws: `OpenTokRefusal` 400.
  package static func settings(form: String) throws(OpenTokRefusal) -> OpenTokSessionID.Settings {
    var values: [String: String] = [:]
    for pair in form.split(separator: "&").prefix(most) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let words = parts.map { String($0.replacing("+", with: " ")) }
      guard words.count == 2, let name = words[0].percentDecoded, let value = words[1].percentDecoded else {
        throw .badRequest(
          "the body is no form: \"\(String(pair).shortened(to: 64))\" is not NAME=VALUE, percent-encoded")
      }
      // Some clients send every field, and leave empty what they do not mean.
      values[name] = value.isEmpty ? nil : value
    }
    var settings = OpenTokSessionID.Settings()
    settings.mode = try choice("p2p.preference", values, ["enabled": .relayed, "disabled": .routed]) ?? .routed
    settings.archiveMode = try choice("archiveMode", values, ["manual": .manual, "always": .always]) ?? .manual
    (settings.archiveName, settings.archiveResolution) = (values["archiveName"], values["archiveResolution"])
    if let place = values["location"], !isAddress(place) {
      throw .badRequest("location is an IPv4 address such as 192.0.2.7, not \"\(place.shortened(to: 64))\"")
    }
    if try choice("e2ee", values, ["true": true, "false": false]) == true {
      throw .badRequest("e2ee=true is not possible here: the service hears the music, and records it; leave e2ee out")
    }
    return settings
  }

  private static func choice<Value>(
    _ name: String, _ values: [String: String], _ choices: [String: Value]
  ) throws(OpenTokRefusal) -> Value? {
    guard let text = values[name] else { return nil }
    guard let value = choices[text] else {
      throw .badRequest(
        "\(name) is \(choices.keys.sorted().joined(separator: " or ")), not \"\(text.shortened(to: 64))\"")
    }
    return value
  }

  private static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The answer with a new session; `room` is Jamjar's own addition.
  package static func answer(_ session: OpenTokSessionID, readsJSON: Bool) -> OpenTokAnswer {
    let time = date(session.createdAt)
    guard readsJSON else {
      return OpenTokAnswer(
        .xml(
          "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><sessions><Session><session_id>\(session)</session_id>"
            + "<partner_id>\(session.key)</partner_id><create_dt>\(time)</create_dt></Session></sessions>"))
    }
    return .json([
      [
        "session_id": .string(session.description), "project_id": .string(session.key),
        "partner_id": .string(session.key), "create_dt": .string(time), "session_status": .null,
        "media_server_url": "", "room": .string(session.room.description),
      ]
    ])
  }

  /// "Mon Nov 23 20:01:02 UTC 2026".
  static func date(_ time: WallTime) -> String {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let text = time.description
    let parts = text.split { $0 == "-" || $0 == "T" || $0 == "." }
    guard parts.count == 5, let month = Int(parts[1]), (1...12).contains(month), time.seconds >= 0 else { return text }
    let weekday = weekdays[Int(time.seconds / 86_400 % 7)]
    // in range: one of twelve months
    return "\(weekday) \(months[month - 1]) \(parts[2]) \(parts[3]) UTC \(parts[0])"
  }
}
