import Music

/// The answer of an application's HTTP endpoint to a call.
package struct MethodAnswer: Hashable, Sendable {
  /// Most bytes of an answer: what one message of any dialect may carry.
  package static let maximumBytes = 262_144
  /// Longest sentence taken from an answer, in scalars.
  private static let longestSentence = 500
  /// The members of an error's body that may hold a sentence, the best first (RFC 9457 has `detail` and `title`).
  private static let sentences = ["detail", "message", "error", "title"]

  package var status: Int
  package var body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    (self.status, self.body) = (status, body)
  }

  /// The value of the method; nil if it returns nothing (an empty body).
  /// - Throws: `MethodFailure` for every status but 2xx, and if the body is not JSON.
  package func value(of method: String) throws(MethodFailure) -> SharedValue? {
    switch status {
    case 200..<300: return try value()
    case 404, 501: throw MethodFailure(.unknown, sentence ?? "the application has no method \(method)")
    case 401, 403: throw MethodFailure(.denied, sentence ?? "the application does not allow \(method)")
    case 300..<400:
      throw MethodFailure(.failed, "the application answered with a redirect (\(status)); redirects are not followed")
    case 400..<500: throw MethodFailure(.refused, sentence ?? "the application refused \(method) (\(status))")
    // Its body may show the inside of the application.
    default: throw MethodFailure(.failed, "the application failed (\(status))")
    }
  }

  private func value() throws(MethodFailure) -> SharedValue? {
    guard body.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
    let json: JSONValue
    do {
      json = try JSONValue(parsing: body, limits: .signaling)
    } catch {
      throw MethodFailure(.failed, "the application's answer is not JSON: \(error)")
    }
    do {
      return try SharedValue(json)
    } catch {
      throw MethodFailure(.failed, "the application's answer cannot be read: \(error.description)")
    }
  }

  /// The sentence in the body of an error.
  private var sentence: String? {
    guard let object = (try? JSONValue(parsing: body, limits: .signaling))?.object else { return nil }
    let found = MethodAnswer.sentences.lazy.compactMap { object[$0]?.string }.first
    let text = found.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { $0.value >= 0x20 })) } ?? ""
    return text.isEmpty ? nil : text.shortened(to: MethodAnswer.longestSentence)
  }
}
