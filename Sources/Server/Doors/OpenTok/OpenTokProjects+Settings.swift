import Signaling

extension OpenTokProjects {
  /// Reads projects `KEY:SECRET` or `KEY:SECRET:NAME`, and addresses of callbacks `KEY session URL`, `KEY archive URL` or
  /// `KEY broadcast URL`, each separated by commas.
  /// - Throws: `ConfigurationProblem` that names a project by its place or key, never by its secret.
  package init(parsing text: String, callbacks: String?) throws(ConfigurationProblem) {
    var addresses = try OpenTokProjects.addresses(callbacks ?? "")
    var projects: [OpenTokProject] = []
    for (index, part) in text.split(separator: ",").enumerated() {
      let parts = String(part).trimmed.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count >= 2 else {
        throw ConfigurationProblem("project \(index + 1) of the OpenTok projects is not KEY:SECRET or KEY:SECRET:NAME")
      }
      let key = String(parts[0])
      let name = parts.count > 2 ? String(parts[2]) : nil
      let callbacks = addresses.removeValue(forKey: key) ?? OpenTokProject.Callbacks()
      projects.append(
        try OpenTokProjects.translated { () throws(OpenTokRefusal) in
          try OpenTokProject(key: key, secret: String(parts[1]), name: name, callbacks: callbacks)
        })
    }
    if let key = addresses.keys.sorted().first {
      throw ConfigurationProblem("the OpenTok callbacks name the project \(key), but no such project is set")
    }
    self = try OpenTokProjects.translated { () throws(OpenTokRefusal) in
      try OpenTokProjects(projects, hashes: .openSSL)
    }
  }

  private static func addresses(_ text: String) throws(ConfigurationProblem) -> [String: OpenTokProject.Callbacks] {
    var addresses: [String: OpenTokProject.Callbacks] = [:]
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ").map(String.init)
      let places: [String: WritableKeyPath<OpenTokProject.Callbacks, String?>] = [
        "session": \.session, "archive": \.archive, "broadcast": \.broadcast,
      ]
      guard words.count == 3, let place = places[words[1]] else {
        throw ConfigurationProblem(
          "an entry of the OpenTok callbacks is not KEY session URL, KEY archive URL or KEY broadcast URL: \"\(part)\"")
      }
      addresses[words[0], default: OpenTokProject.Callbacks()][keyPath: place] = words[2]
    }
    return addresses
  }

  private static func translated<Value>(
    _ body: () throws(OpenTokRefusal) -> Value
  ) throws(ConfigurationProblem) -> Value {
    do throws(OpenTokRefusal) {
      return try body()
    } catch {
      throw ConfigurationProblem(error.message)
    }
  }
}
