import Foundation
import FoundationNetworking
import Signaling

/// HTTP with JSON bodies, as WebDriver and Jamjar's REST speak it.
enum HTTP {
  /// Lists of tens of thousands of capture times come back from pages.
  private static let limits = JSONLimits(bytes: 64_000_000, depth: 32, stringBytes: 32_000_000, values: 4_000_000)
  /// Longer than anything that a test waits for inside a page.
  private static let timeout: TimeInterval = 120

  struct Answer {
    var status: Int
    var headers: [String: String]
    var body: Data

    /// The body as JSON.
    var json: JSONValue {
      get throws {
        do {
          return try JSONValue(parsing: [UInt8](body), limits: HTTP.limits)
        } catch {
          throw EndToEndFailure("status \(status), no JSON: \(error): \(String(decoding: body.prefix(300), as: UTF8.self))")
        }
      }
    }
  }

  static func send(
    _ method: String, _ address: String, json: JSONValue? = nil, headers: [String: String] = [:], body: String? = nil
  ) async throws -> Answer {
    guard let url = URL(string: address) else { throw EndToEndFailure("\(address) is no address") }
    var request = URLRequest(url: url, timeoutInterval: timeout)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let json {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(json.text.utf8)
    } else if let body {
      request.httpBody = Data(body.utf8)
    }
    let (bytes, response) = try await URLSession.shared.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw EndToEndFailure("\(address) did not answer by HTTP") }
    var answered: [String: String] = [:]
    for (name, value) in response.allHeaderFields { answered["\(name)".lowercased()] = "\(value)" }
    return Answer(status: response.statusCode, headers: answered, body: bytes)
  }
}
