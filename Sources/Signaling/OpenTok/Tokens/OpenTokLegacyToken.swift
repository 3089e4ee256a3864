import Machines
import Music

/// The older form of a client's token: `T1==` and the base64 of `partner_id=KEY&sig=HEX:DATA`, where the signature is
/// the HMAC-SHA1 of the data as they stand.
enum OpenTokLegacyToken {
  static let prefix = "T1=="

  /// - Throws: `OpenTokRefusal` 403.
  static func read(
    _ text: String, _ projects: OpenTokProjects
  ) throws(OpenTokRefusal) -> (OpenTokProject, OpenTokToken.Words) {
    guard let bytes = Base64.standard.decode(text.dropFirst(prefix.count)),
      let decoded = String(validating: bytes, as: UTF8.self), let colon = decoded.firstIndex(of: ":")
    else {
      throw .forbidden("Invalid token: behind T1== is no base64 with its padding; it may be cut off")
    }
    let head = form(decoded[..<colon])
    let data = decoded[decoded.index(after: colon)...]
    guard let key = head["partner_id"], let project = projects[key] else {
      throw .forbidden("Issuer not found: the token's partner_id is the key of no project here")
    }
    let code = projects.hashes.sha1(project.secret, Array(data.utf8))
    guard let shown = head["sig"].flatMap(hex), OpenTokHashes.areEqual(shown, code) else {
      throw .forbidden("Invalid signature: the token was not signed with the secret of project \(key)")
    }
    let values = form(data)
    let words = OpenTokToken.Words(
      session: values["session_id"], role: values["role"], connectionData: values["connection_data"],
      layoutClasses: values["initial_layout_class_list"], issued: try time("create_time", values),
      expires: try time("expire_time", values))
    return (project, words)
  }

  /// Parameters as forms are encoded; the first of a name counts.
  private static func form(_ text: Substring) -> [String: String] {
    var values: [String: String] = [:]
    for pair in text.split(separator: "&").prefix(32) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, values[String(parts[0])] == nil else { continue }
      let text = parts[1].replacing("+", with: " ")
      values[String(parts[0])] = String(text).percentDecoded ?? String(text)
    }
    return values
  }

  private static func time(_ name: String, _ values: [String: String]) throws(OpenTokRefusal) -> Int64? {
    guard let text = values[name], !text.isEmpty else { return nil }
    // Some SDKs write seconds with a fraction.
    guard let seconds = Double(text).flatMap({ Int64(exactly: $0.rounded(.down)) }),
      OpenTokClock.times.contains(seconds)
    else { throw .forbidden("Invalid token: its \(name) is no time in seconds since 1970") }
    return seconds
  }

  private static func hex(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 40 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
