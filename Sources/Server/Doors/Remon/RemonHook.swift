import Machines
import Signaling

/// An address that is told, in Remote Monster's form, about the casts or the recordings of a service.
package struct RemonHook: Sendable {
  /// What it is told.
  package enum Kind: String, Sendable, CaseIterable {
    /// Casts that begin and end: GET with `action` and `chid`.
    case cast
    /// Recordings that are finished: POST with `id` and `url`.
    case recording
  }

  /// The service id.
  let service: String
  let kind: Kind
  let endpoint: WebhookEndpoint
  /// What recordings' addresses begin with: this service, as the receiver reaches it. Nil for casts.
  let origin: String?

  /// Most of them.
  private static let most = 64

  /// Reads `SERVICE cast URL whsec_…` and `SERVICE recording URL whsec_… ORIGIN`, separated by commas. Two secrets sign
  /// both.
  /// - Throws: `ConfigurationProblem` that names an entry by its number and service, never by its secret.
  package static func list(_ text: String, of services: AppAccounts) throws(ConfigurationProblem) -> [RemonHook] {
    var hooks: [RemonHook] = []
    for (index, part) in text.split(separator: ",").enumerated() {
      let words = part.split { $0 == " " || $0 == "\t" || $0.isNewline }.map(String.init)
      // in range: fewer entries than bytes
      let hook = try RemonHook(words, "entry \(index + 1) of the Remote Monster hooks", services)
      guard !hooks.contains(where: { $0.key == hook.key }) else {
        throw ConfigurationProblem("entry \(index + 1) of the Remote Monster hooks is there twice")
      }
      hooks.append(hook)
    }
    guard hooks.count <= most else {
      throw ConfigurationProblem("there are \(hooks.count) Remote Monster hooks; at most \(most) are allowed")
    }
    return hooks
  }

  private init(_ words: [String], _ place: String, _ services: AppAccounts) throws(ConfigurationProblem) {
    guard words.count >= 4, let kind = Kind(rawValue: words[1]) else {
      throw ConfigurationProblem("\(place) is not SERVICE cast URL whsec_… or SERVICE recording URL whsec_… ORIGIN")
    }
    guard services.has(words[0]) else {
      throw ConfigurationProblem("\(place) names a service that is not among the Remote Monster services")
    }
    guard let url = WebhookURL(words[2]) else {
      throw ConfigurationProblem(
        "\(place) has no valid address; use https://host[:port]/path[?query], without user or fragment")
    }
    var rest = words.dropFirst(3)
    var origin: String?
    if kind == .recording {
      guard let last = rest.popLast(), let own = WebhookURL(last), own.text == "\(own.origin)/" else {
        throw ConfigurationProblem(
          "\(place) does not end with the origin of this service, such as https://jam.example, to which it adds the path "
            + "of a recording")
      }
      origin = own.origin
    }
    guard !rest.isEmpty else {
      throw ConfigurationProblem("\(place) has no secret; put whsec_$(openssl rand -base64 32) behind its address")
    }
    let secrets = try WebhookEndpoint.secrets(Array(rest), of: place)
    (service, self.kind, self.origin) = (words[0], kind, origin)
    endpoint = WebhookEndpoint(url: url, secrets: secrets, kinds: [])
  }

  /// The name of its folder: services may be called anything.
  var key: String { "remon-\(kind.rawValue)-\(WebhookEndpoint.key(of: "\(service) \(endpoint.url.text)"))" }

  var line: CallbackRoad.Line {
    CallbackRoad.Line(name: "remon \(service) \(kind.rawValue)", key: key, endpoint: endpoint)
  }
}
