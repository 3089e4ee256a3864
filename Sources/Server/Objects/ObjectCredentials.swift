import Foundation
import Machines

/// The keys of an object store.
package struct ObjectCredentials: Sendable {
  package let identifier: String
  let secret: Secret<String>
  /// Of temporary keys.
  let token: Secret<String>?

  /// - Throws: `ConfigurationProblem` for keys that cannot be sent.
  package init(identifier: String, secret: String, token: String? = nil) throws(ConfigurationProblem) {
    // A line break would start another header.
    guard ([identifier, secret] + [token].compactMap(\.self)).allSatisfy(ObjectCredentials.isPlain) else {
      throw ConfigurationProblem("the keys of the object store are empty, or have blanks or control characters")
    }
    self.identifier = identifier
    self.secret = Secret(secret)
    self.token = token.map { Secret($0) }
  }

  /// Reads `aws_access_key_id = …`, `aws_secret_access_key = …` and `aws_session_token = …`, as in `~/.aws/credentials`.
  /// - Throws: `ConfigurationProblem` if the file cannot be read, is open to others, or lacks a key.
  package init(file path: String) throws(ConfigurationProblem) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ConfigurationProblem("\(path) with the keys of the object store cannot be read")
    }
    let rights = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? NSNumber
    guard let rights, rights.intValue & 0o077 == 0 else {
      throw ConfigurationProblem("\(path) has the keys of the object store and is open to others; chmod 600 \(path)")
    }
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let equals = line.firstIndex(of: "="), line.first != "#" else { continue }
      let name = line[..<equals].trimmingCharacters(in: .whitespaces)
      values[name] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
    }
    guard let identifier = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
      throw ConfigurationProblem(
        "\(path) has no keys of the object store; it needs the lines aws_access_key_id=… and aws_secret_access_key=…")
    }
    try self.init(identifier: identifier, secret: secret, token: values["aws_session_token"])
  }

  private static func isPlain(_ text: String) -> Bool {
    (1...4_096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
