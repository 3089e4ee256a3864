import Foundation
import Machines
import Realtime
import Recording
import Signaling

/// A receiver of events about takes and sessions by HTTP.
package struct WebhookEndpoint: Sendable {
  package var url: WebhookURL
  /// The signing keys, newest first: during a change of keys, both sign.
  package var secrets: [Secret<[UInt8]>]
  package var kinds: Set<ServiceEventKind>

  /// The default events of an endpoint: those of takes and sessions.
  static let usualKinds = Set(
    ServiceEventKind.allCases.filter { ["take", "session"].contains($0.group) && $0 != .takeCue })
  /// Bytes of a secret (Standard Webhooks: 24 to 64).
  static let secretLengths = 24...64
  /// The prefix of a secret.
  static let secretPrefix = "whsec_"
  /// Most endpoints.
  static let maximumCount = 16

  /// The name of the endpoint's folder, stable across restarts.
  var key: String { WebhookEndpoint.key(of: url.text) }

  /// The name of a folder for `text`: 16 hexadecimal digits.
  static func key(of text: String) -> String {
    SHA256.hash(Array(text.utf8)).prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads a list of endpoints: `URL whsec_… [whsec_…] [types]`, separated by blanks or line ends.
  /// - Throws: `ConfigurationProblem` that says which endpoint is wrong, never its secret.
  package static func list(_ text: String) throws(ConfigurationProblem) -> [WebhookEndpoint] {
    var endpoints: [WebhookEndpoint] = []
    for word in words(text) {
      if word.hasPrefix("http://") || word.hasPrefix("https://") {
        let number = endpoints.count + 1
        guard let url = WebhookURL(word) else {
          throw ConfigurationProblem(
            "webhook \(number) has no valid address; use https://host[:port]/path[?query], without user or fragment")
        }
        guard !endpoints.contains(where: { $0.url == url }) else {
          throw ConfigurationProblem("webhook \(number) (\(url.origin)) is listed twice; give all its types at once")
        }
        endpoints.append(WebhookEndpoint(url: url, secrets: [], kinds: []))
      } else {
        guard var last = endpoints.popLast() else {
          throw ConfigurationProblem("webhooks begin with an address, https://… , then its secret, then its types")
        }
        try last.take(word, number: endpoints.count + 1)
        endpoints.append(last)
      }
    }
    guard endpoints.count <= maximumCount else {
      throw ConfigurationProblem("there are \(endpoints.count) webhooks; at most \(maximumCount) are allowed")
    }
    for (index, endpoint) in endpoints.enumerated() {
      guard !endpoint.secrets.isEmpty else {
        throw ConfigurationProblem(
          "webhook \(index + 1) (\(endpoint.url.origin)) has no secret; put whsec_$(openssl rand -base64 32) after it")
      }
      if endpoint.kinds.isEmpty { endpoints[index].kinds = usualKinds }
    }
    return endpoints
  }

  private mutating func take(_ word: String, number: Int) throws(ConfigurationProblem) {
    if word.hasPrefix(WebhookEndpoint.secretPrefix) {
      secrets += try WebhookEndpoint.secrets([word], of: "webhook \(number) (\(url.origin))")
      return
    }
    do throws(EventFilter.UnknownWord) {
      kinds.formUnion(try EventFilter.kinds(word))
    } catch {
      // An unknown word may be a secret without its prefix, so it is not shown.
      throw ConfigurationProblem(
        "a word after webhook \(number) (\(url.origin)) is neither whsec_… nor a list of types; permitted types: "
          + ServiceEventKind.filterWords.joined(separator: ", "))
    }
  }

  /// Reads signing keys: `whsec_` and base64.
  /// - Parameter what: what they sign, for the sentence.
  static func secrets(_ words: [String], of what: String) throws(ConfigurationProblem) -> [Secret<[UInt8]>] {
    var secrets: [Secret<[UInt8]>] = []
    for word in words {
      guard word.hasPrefix(secretPrefix), let bytes = Data(base64Encoded: String(word.dropFirst(secretPrefix.count))),
        secretLengths.contains(bytes.count)
      else {
        throw ConfigurationProblem(
          "the secret of \(what) is invalid; use whsec_ and 24 to 64 bytes in base64: "
            + "whsec_$(openssl rand -base64 32)")
      }
      secrets.append(Secret(Array(bytes)))
    }
    return secrets
  }

  /// The list for display: addresses without path and query, no secrets.
  package static func redacted(_ text: String) -> String {
    words(text).map { word in
      if word.hasPrefix("http://") || word.hasPrefix("https://") {
        return WebhookURL(word).map { "\($0.origin)/…" } ?? "(no address)"
      }
      return word.contains("_") || (try? EventFilter.kinds(word)) == nil ? "(secret)" : word
    }.joined(separator: " ")
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\t" || $0.isNewline }.map(String.init)
  }
}

/// The configuration of webhooks: endpoints and permitted addresses.
package struct WebhookConfiguration: Sendable {
  package var endpoints: [WebhookEndpoint]
  /// Permits endpoints on this machine and in private networks, and endpoints without TLS.
  package var allowsPrivate: Bool
  /// Path of a PEM file with a certificate trusted in addition to the system's.
  package var trust: String?
  var schedule = WebhookSchedule()

  package init(endpoints: [WebhookEndpoint] = [], allowsPrivate: Bool = false, trust: String? = nil) {
    self.endpoints = endpoints
    self.allowsPrivate = allowsPrivate
    self.trust = trust
  }

  /// Refuses addresses known to be unsuitable; names are resolved and checked at every delivery.
  func check() throws(ConfigurationProblem) {
    for endpoint in endpoints { try endpoint.url.check(allowsPrivate: allowsPrivate, of: "webhook") }
  }
}
