import Foundation
import Server

extension Settings {
  /// The object store for finished takes; nil without `--objects`.
  static func readObjects(_ reader: inout SettingsReader) -> ObjectsConfiguration? {
    let size = reader.bytes(.cacheSize)
    let file = reader.text(.objectsCredentials)
    guard let text = reader.text(.objects) else {
      if size != nil { reader.problem("--cache-size needs --objects: sound files leave only after they were stored") }
      return nil
    }
    do throws(ConfigurationProblem) {
      let address = try ObjectAddress(parsing: text)
      return ObjectsConfiguration(address: address, credentials: try credentials(in: file), cacheSize: size)
    } catch {
      reader.problem(error.description)
      return nil
    }
  }

  private static func credentials(in file: String?) throws(ConfigurationProblem) -> ObjectCredentials {
    if let file { return try ObjectCredentials(file: file) }
    let environment = ProcessInfo.processInfo.environment
    guard let identifier = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] else {
      throw ConfigurationProblem(
        "--objects needs keys: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or a file of mode 600 "
          + "named by --objects-credentials")
    }
    return try ObjectCredentials(identifier: identifier, secret: secret, token: environment["AWS_SESSION_TOKEN"])
  }
}
