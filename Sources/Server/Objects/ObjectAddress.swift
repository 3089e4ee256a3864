import Foundation
import Signaling

/// Where objects are kept: `s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]`.
package struct ObjectAddress: Hashable, Sendable {
  package let bucket: String
  /// Without slashes at its ends; empty for none.
  package let prefix: String
  /// Scheme, host and port: "https://s3.eu-central-1.amazonaws.com".
  package let endpoint: String
  /// Host, with the port where it is not the scheme's own, as in the field `Host`.
  let host: String
  package let region: String

  package static let permitted =
    "s3://BUCKET[/PREFIX][?endpoint=https://HOST[:PORT]&region=NAME], for example "
    + "s3://band/jamjar?endpoint=https://minio.example:9000"
  private static let standardRegion = "us-east-1"
  private static let longest = 2_048

  /// - Throws: `ConfigurationProblem` with what is wrong and what would be right.
  package init(parsing text: String) throws(ConfigurationProblem) {
    func problem(_ what: String) -> ConfigurationProblem {
      ConfigurationProblem("objects (--objects, JAMJAR_OBJECTS): \(what); permitted: \(ObjectAddress.permitted)")
    }
    guard text.utf8.count <= ObjectAddress.longest, let parts = URLComponents(string: text), parts.scheme == "s3",
      parts.fragment == nil, parts.port == nil
    else { throw problem("this is no address of a store") }
    // Keys belong to where processes do not show them.
    guard parts.user == nil, parts.password == nil else {
      throw problem("an address has no keys in it; they come from AWS_ACCESS_KEY_ID or --objects-credentials")
    }
    guard let bucket = parts.host, ObjectAddress.isBucket(bucket) else {
      throw problem("\"\(parts.host ?? "")\" is no name of a bucket (3 to 63 of a-z, 0-9, \"-\" and \".\")")
    }
    self.bucket = bucket
    let names = parts.path.split(separator: "/").map(String.init)
    guard !names.contains("."), !names.contains("..") else { throw problem("a prefix has no \".\" or \"..\"") }
    prefix = names.joined(separator: "/")
    var region = ObjectAddress.standardRegion
    var endpoint: String?
    for item in parts.queryItems ?? [] {
      switch item.name {
      case "endpoint": endpoint = item.value
      case "region": region = item.value ?? ""
      default: throw problem("there is no parameter \"\(item.name)\"")
      }
    }
    guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(ObjectAddress.isPlain) else {
      throw problem("\"\(region)\" is no name of a region")
    }
    self.region = region
    let given = endpoint ?? "https://s3.\(region).amazonaws.com"
    guard let url = URLComponents(string: given), let scheme = url.scheme, scheme == "https" || scheme == "http",
      let host = url.host, !host.isEmpty, url.path.isEmpty || url.path == "/", url.query == nil, url.user == nil,
      (1...65_535).contains(url.port ?? 1)
    else { throw problem("\"\(given)\" is no endpoint, which is a scheme, a host and perhaps a port") }
    let usual = scheme == "https" ? 443 : 80
    self.host = host + (url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
    self.endpoint = "\(scheme)://\(self.host)"
  }

  /// The address without its endpoint, for people and for `objects.json`.
  package var place: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)") }

  /// False where recordings would travel in the clear.
  package var isSecure: Bool { endpoint.hasPrefix("https:") }

  /// The path of an object, escaped: "/band/jamjar/takes/…".
  func path(of key: String) -> String {
    let names =
      [bucket] + prefix.split(separator: "/").map(String.init)
      + key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return "/" + names.map(\.percentEncoded).joined(separator: "/")
  }

  /// The bucket's path, for lists.
  var bucketPath: String { "/" + bucket.percentEncoded }

  /// A key as the store names it.
  func whole(_ key: String) -> String { prefix.isEmpty ? key : "\(prefix)/\(key)" }

  /// The key of an object that the store lists; nil for one that is not below the prefix.
  func key(_ whole: String) -> String? {
    guard !prefix.isEmpty else { return whole }
    return whole.hasPrefix(prefix + "/") ? String(whole.dropFirst(prefix.count + 1)) : nil
  }

  private static func isBucket(_ text: String) -> Bool {
    (3...63).contains(text.utf8.count) && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
  }
}
