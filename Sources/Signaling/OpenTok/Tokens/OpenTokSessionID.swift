import Machines
import Music

/// The id of a session of OpenTok. Everything that a session is stands in it, with a code by the project's secret: an
/// idle session costs no memory and survives a restart.
///
/// SDKs decode it: `1_` and the base64url of fields between `~`, one of which is the project's key.
package struct OpenTokSessionID: Hashable, Sendable, CustomStringConvertible {
  /// How media go.
  package enum Mode: Character, Hashable, Sendable {
    /// Through the service; archives are possible.
    case routed = "r"
    /// From client to client where possible; the room is a mesh.
    case relayed = "p"
  }

  package enum ArchiveMode: Character, Hashable, Sendable {
    case manual = "m"
    /// Archived from the first client on.
    case always = "a"
  }

  /// The choices of `POST /session/create`.
  package struct Settings: Hashable, Sendable {
    package var mode: Mode
    package var archiveMode: ArchiveMode
    /// Of automatic archives; at most `longestName` bytes.
    package var archiveName: String?
    /// Of automatic archives, one of `resolutions`.
    package var archiveResolution: String?

    package init(
      mode: Mode = .routed, archiveMode: ArchiveMode = .manual, archiveName: String? = nil,
      archiveResolution: String? = nil
    ) {
      (self.mode, self.archiveMode) = (mode, archiveMode)
      (self.archiveName, self.archiveResolution) = (archiveName, archiveResolution)
    }
  }

  package static let resolutions = ["640x480", "480x640", "1280x720", "720x1280", "1920x1080", "1080x1920"]
  /// Longest name of automatic archives, in bytes: an id has 255 characters at most.
  package static let longestName = 83
  /// Longest id, in characters.
  package static let longest = 255

  /// The id itself.
  package let description: String
  /// The project's key.
  package let key: String
  package let settings: Settings
  package let createdAt: WallTime
  /// The room of Jamjar. Its name contains the code, so nobody guesses it; every dialect may use it.
  package let room: RoomName

  private static let prefix = "1_"
  private static let separator: Character = "~"
  /// Bytes of the code.
  private static let codeLength = 12

  /// Makes the id of a new session.
  /// - Throws: `OpenTokRefusal` 400.
  package init(
    of project: OpenTokProject, _ settings: Settings = Settings(), nonce: ULID, hashes: OpenTokHashes
  ) throws(OpenTokRefusal) {
    try OpenTokSessionID.check(settings)
    let name = settings.archiveName.map { "n" + Base64.url.encode(Array($0.utf8)) } ?? ""
    let created = nonce.milliseconds
    // The order of the vendor's fields, as far as tools look at them: key, location, time.
    let fields = [
      "1", project.key, "", String(created), nonce.description, OpenTokSessionID.letters(of: settings), name,
    ]
    try self.init(fields, project, settings, nonce, hashes)
  }

  private init(
    _ fields: [String], _ project: OpenTokProject, _ settings: Settings, _ nonce: ULID, _ hashes: OpenTokHashes
  ) throws(OpenTokRefusal) {
    let code = OpenTokSessionID.code(of: fields, project, hashes)
    let text = (fields + [code, ""]).joined(separator: String(OpenTokSessionID.separator))
    description = OpenTokSessionID.prefix + Base64.url.encode(Array(text.utf8))
    guard let room = RoomName("\(project.key)-\(nonce)-\(OpenTokSessionID.letters(of: settings))-\(code)") else {
      throw .unknownSession
    }
    (key, self.settings, self.room) = (project.key, settings, room)
    createdAt = WallTime(milliseconds: nonce.milliseconds)
  }

  /// Reads the id of a session of `project`.
  /// - Throws: `OpenTokRefusal` 404 for anything that this service has not made for the project.
  package init(
    reading text: String, of project: OpenTokProject, hashes: OpenTokHashes
  ) throws(OpenTokRefusal) {
    guard let fields = OpenTokSessionID.fields(of: text), fields.count == 9, fields[0] == "1",
      fields[1] == project.key, fields[2].isEmpty, fields[8].isEmpty, let nonce = ULID(fields[4]),
      fields[4] == nonce.description, fields[3] == String(nonce.milliseconds),
      let settings = OpenTokSessionID.settings(fields[5], name: fields[6])
    else { throw .unknownSession }
    try self.init(Array(fields.prefix(7)), project, settings, nonce, hashes)
    guard OpenTokHashes.areEqual(Array(text.utf8), Array(description.utf8)) else { throw .unknownSession }
  }

  /// The session of a room, if the room's name says all of it: that of a name for archives stands in the id only.
  package init?(room: RoomName, projects: OpenTokProjects) {
    let parts = room.description.split(separator: "-", maxSplits: 3)
    guard parts.count == 4, let project = projects[String(parts[0])], let nonce = ULID(String(parts[1])),
      let settings = OpenTokSessionID.settings(String(parts[2]), name: ""),
      let id = try? OpenTokSessionID(of: project, settings, nonce: nonce, hashes: projects.hashes), id.room == room
    else { return nil }
    self = id
  }

  /// True for rooms whose name has the form of a session's of one of the projects, whoever named them.
  package static func isRoom(_ room: RoomName, of projects: OpenTokProjects) -> Bool {
    let parts = room.description.split(separator: "-", maxSplits: 3)
    return parts.count == 4 && projects[String(parts[0])] != nil && ULID(String(parts[1])) != nil
  }

  /// How media go in a room by its name; nil for a room that is no session's. Sessions with a name for archives are
  /// routed.
  package static func mode(of room: RoomName, projects: OpenTokProjects) -> Mode? {
    guard isRoom(room, of: projects) else { return nil }
    return OpenTokSessionID(room: room, projects: projects)?.settings.mode ?? .routed
  }

  /// True if an id has this form and names the project's key, whoever made it: what the SDKs look at.
  package static func names(_ key: String, in text: String) -> Bool { fields(of: text)?.contains(key) ?? false }

  private static func fields(of text: String) -> [String]? {
    guard text.utf8.count <= longest, text.hasPrefix(prefix),
      let bytes = Base64.url.decode(text.dropFirst(prefix.count)),
      let fields = String(validating: bytes, as: UTF8.self)
    else { return nil }
    return fields.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }

  private static func code(of fields: [String], _ project: OpenTokProject, _ hashes: OpenTokHashes) -> String {
    let text = (["jamjar.opentok.session"] + fields).joined(separator: String(separator))
    return Base64.url.encode(Array(hashes.sha256(project.secret, Array(text.utf8)).prefix(codeLength)))
  }

  // MARK: Settings in letters

  /// Mode, archive mode, and the number of the resolution.
  private static func letters(of settings: Settings) -> String {
    let resolution = settings.archiveResolution.flatMap { resolutions.firstIndex(of: $0) }.map(String.init) ?? ""
    return "\(settings.mode.rawValue)\(settings.archiveMode.rawValue)\(resolution)"
  }

  private static func settings(_ letters: String, name: String) -> Settings? {
    var rest = letters[...]
    guard let mode = rest.popFirst().flatMap(Mode.init), let archiveMode = rest.popFirst().flatMap(ArchiveMode.init)
    else { return nil }
    var settings = Settings(mode: mode, archiveMode: archiveMode)
    if !rest.isEmpty {
      guard let number = Int(rest), resolutions.indices.contains(number) else { return nil }
      settings.archiveResolution = resolutions[number]
    }
    if !name.isEmpty {
      guard name.first == "n", let bytes = Base64.url.decode(name.dropFirst()),
        let text = String(validating: bytes, as: UTF8.self)
      else { return nil }
      settings.archiveName = text
    }
    return settings
  }

  private static func check(_ settings: Settings) throws(OpenTokRefusal) {
    if settings.archiveMode == .always, settings.mode == .relayed {
      throw .badRequest("archiveMode=always needs a routed session: send p2p.preference=disabled")
    }
    if settings.archiveMode == .manual, settings.archiveName != nil || settings.archiveResolution != nil {
      throw .badRequest("archiveName and archiveResolution belong to archiveMode=always")
    }
    if let name = settings.archiveName, name.isEmpty || name.count > 80 || name.utf8.count > longestName {
      throw .badRequest("archiveName has 1 to 80 characters, and \(longestName) bytes at most")
    }
    if let resolution = settings.archiveResolution, !resolutions.contains(resolution) {
      throw .badRequest("archiveResolution is one of \(resolutions.joined(separator: ", "))")
    }
  }
}

extension ULID {
  /// The time in it, in milliseconds since 1970.
  fileprivate var milliseconds: Int64 { Int64(high >> 16) }
}
