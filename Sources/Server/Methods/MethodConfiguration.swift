import Foundation
import Machines
import Signaling

/// The band's own methods: which name goes to which HTTP endpoint.
package struct MethodConfiguration: Sendable {
  /// The endpoint of every name that has none of its own.
  package private(set) var everything: WebhookURL?
  /// The endpoints of single names.
  package private(set) var named: [String: WebhookURL] = [:]
  /// The signing keys, newest first.
  package var secrets: [Secret<[UInt8]>] = []
  /// Time for one call, with its wait for a place.
  var timeLimit = Duration.seconds(10)
  /// Most calls at a time, of one connection and in all.
  var perConnection = 8
  var limit = 64

  /// Most names with an endpoint of their own.
  static let maximumCount = 256

  package init() {}

  package var isEmpty: Bool { everything == nil && named.isEmpty }

  /// Reads a list: `URL` for every name, `NAME=URL` for one, separated by blanks or line ends; and the secrets, `whsec_…`.
  /// - Throws: `ConfigurationProblem` that says which entry is wrong, never a secret.
  package init(list: String, secrets: String?) throws(ConfigurationProblem) {
    for word in MethodConfiguration.words(list) { try add(word) }
    self.secrets = try WebhookEndpoint.secrets(MethodConfiguration.words(secrets ?? ""), of: "the methods")
    guard isEmpty || !self.secrets.isEmpty else {
      throw ConfigurationProblem(
        "calls of methods are signed, and there is no secret; put whsec_$(openssl rand -base64 32) into "
          + "JAMJAR_METHOD_SECRET")
    }
  }

  private mutating func add(_ word: String) throws(ConfigurationProblem) {
    // The first "=" may also be one of an address's query.
    let isAddress = ["http://", "https://"].contains { word.hasPrefix($0) }
    let mark = isAddress ? nil : word.firstIndex(of: "=")
    let name = mark.map { String(word[..<$0]) } ?? "*"
    guard let url = WebhookURL(mark.map { String(word[word.index(after: $0)...]) } ?? word) else {
      throw ConfigurationProblem(
        "the methods \"\(name.prefix(64))\" have no valid address; use https://host[:port]/path[?query], or "
          + "NAME=https://… for one method")
    }
    guard name != "*" else {
      guard everything == nil else {
        throw ConfigurationProblem("there are two addresses for all methods; give one, and NAME=https://… for others")
      }
      return everything = url
    }
    guard MethodCall.isName(name) else {
      throw ConfigurationProblem(
        "\"\(name.prefix(64))\" cannot be a method; a name has 1 to \(MethodCall.maximumName) bytes without blanks")
    }
    guard !ApplicationMethods.isKept(name) else {
      throw ConfigurationProblem("\(name) is a method of the service itself and stays so; choose another name")
    }
    guard named.updateValue(url, forKey: name) == nil else {
      throw ConfigurationProblem("the method \(name) has two addresses; give one")
    }
    guard named.count <= MethodConfiguration.maximumCount else {
      throw ConfigurationProblem(
        "more than \(MethodConfiguration.maximumCount) methods have an address; use one for all")
    }
  }

  /// Refuses addresses known to be unsuitable; names are resolved and checked at every call.
  func check(allowsPrivate: Bool) throws(ConfigurationProblem) {
    for url in Array(named.values) + [everything].compactMap({ $0 }) {
      try url.check(allowsPrivate: allowsPrivate, of: "methods")
    }
  }

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\t" || $0.isNewline }.map(String.init)
  }

  /// The list for display: addresses without path and query.
  package static func redacted(_ text: String) -> String {
    words(text).map { word in
      let isAddress = ["http://", "https://"].contains { word.hasPrefix($0) }
      let mark = isAddress ? nil : word.firstIndex(of: "=")
      let url = WebhookURL(mark.map { String(word[word.index(after: $0)...]) } ?? word)
      let name = mark.map { "\(word[..<$0])=" } ?? ""
      return name + (url.map { "\($0.origin)/…" } ?? "(no address)")
    }.joined(separator: " ")
  }
}
