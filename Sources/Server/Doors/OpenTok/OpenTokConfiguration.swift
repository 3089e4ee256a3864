import Music
import Signaling

/// What an operator sets for apps made for OpenTok.
package struct OpenTokConfiguration: DoorConfiguration {
  /// Pairs of key and secret, and where they are called back.
  private static let pairs = DoorSetting("opentok-projects", .secret)
  private static let callbacks = DoorSetting("opentok-callbacks", .secret)
  /// Whether servers of apps may show key and secret as they are.
  private static let partnerAuth = DoorSetting("opentok-partner-auth", .flag)
  /// Whether the files of archives go into the object store.
  private static let uploads = DoorSetting("opentok-uploads", .flag)
  package static let settings = [pairs, callbacks, partnerAuth, uploads]

  package var projects = OpenTokProjects.none

  package init() {}

  package init(reading values: [String: String]) throws(ConfigurationProblem) {
    guard let text = values[Self.pairs.name] else {
      let others = [Self.callbacks, Self.partnerAuth, Self.uploads]
      guard let lonely = others.first(where: { values[$0.name, default: "false"] != "false" }) else { return }
      throw ConfigurationProblem("\(lonely.name) needs \(Self.pairs.name): the projects that it is meant for")
    }
    projects = try OpenTokProjects(parsing: text, callbacks: values[Self.callbacks.name])
    projects.takesPartnerAuth = values[Self.partnerAuth.name] == "true"
    projects.uploadsArchives = values[Self.uploads.name] == "true"
  }

  package func check(beside server: ServerConfiguration) throws(ConfigurationProblem) {
    guard projects.uploadsArchives, server.objects == nil else { return }
    throw ConfigurationProblem("opentok-uploads needs --objects: the store that archives are uploaded to")
  }

  /// A relayed session is a mesh.
  package func topology(of room: RoomName) -> RoomPolicy.Topology? {
    OpenTokSessionID.mode(of: room, projects: projects).map { $0 == .relayed ? .mesh : .routed }
  }
}
