import HTTPTypes
import Hummingbird
import Machines
import Music
import NIOCore
import Recording
import Rooms
import Signaling

/// What the REST interface, the archives and the client wire of OpenTok share: projects and sessions.
struct OpenTokDesk: Sendable {
  let projects: OpenTokProjects
  let sessions: OpenTokSessions
  let broker: Broker
  let turnstile: Turnstile
  /// When the service began.
  let start = MonotonicClock.wall

  init(_ projects: OpenTokProjects, broker: Broker, turnstile: Turnstile) {
    (self.projects, self.broker, self.turnstile) = (projects, broker, turnstile)
    sessions = OpenTokSessions(projects, broker: broker)
  }

  /// The project of a request by an application's server. If the path names a key, it is the same project's.
  /// - Throws: `OpenTokRefusal` 403; 429 after too many wrong secrets from its address.
  func authenticated(
    _ request: Request, _ context: ExchangeContext, key: String? = nil
  ) throws(OpenTokRefusal) -> OpenTokProject {
    let shown = OpenTokDesk.header.flatMap { request.headers[$0] }
    let pair = OpenTokDesk.formerHeader.flatMap { request.headers[$0] }
    let project = try check(shown ?? pair, from: context.origin) { () throws(OpenTokRefusal) in
      let project =
        if shown == nil, let pair, projects.takesPartnerAuth {
          try projects.partner(pair)
        } else if let shown {
          try OpenTokServerToken.read(shown, projects, at: MonotonicClock.wall)
        } else {
          throw OpenTokRefusal.forbidden(
            "there is no X-OPENTOK-AUTH: a JSON Web Token by the project's key and secret"
              + (pair == nil ? "" : "; X-TB-PARTNER-AUTH is not taken here"))
        }
      return (project, project)
    }
    guard key == nil || key == project.key else {
      throw .forbidden("the token is of project \(project.key), and the path of another one")
    }
    let caller = Caller(address: context.origin.address, credential: OpenTokDesk.credential(of: project))
    do throws(RoomRefusal) {
      try turnstile.quotas.begin(.projectRequest, caller)
    } catch {
      throw OpenTokRefusal(error)
    }
    return project
  }

  /// The claim of a client's token.
  /// - Throws: `OpenTokRefusal` 403, 404; 429 after too many wrong tokens from its address.
  func claim(_ text: String?, from origin: Turnstile.Origin) throws(OpenTokRefusal) -> OpenTokToken.Claim {
    try check(text, from: origin) { () throws(OpenTokRefusal) in
      guard let text else { throw .forbidden("there is no token") }
      let claim = try OpenTokToken.read(text, projects, at: MonotonicClock.wall)
      return (claim, claim.project)
    }
  }

  /// Counts what is wrong against its address, as every door does, and gives connections with a right one their place.
  private func check<Value>(
    _ shown: String?, from origin: Turnstile.Origin, _ body: () throws(OpenTokRefusal) -> (Value, OpenTokProject)
  ) throws(OpenTokRefusal) -> Value {
    do throws(OpenTokRefusal) {
      let (value, project) = try body()
      turnstile.places.prove(origin.channel, as: OpenTokDesk.credential(of: project))
      return value
    } catch {
      guard shown != nil, error.status == 403 else { throw error }
      do throws(RoomRefusal) {
        try turnstile.quotas.countWrongSecret(from: origin.address)
      } catch let limit {
        throw OpenTokRefusal(limit)
      }
      throw error
    }
  }

  /// Lets a client, or a further stream of one, into its token's session, by a name that is free there.
  /// - Parameters:
  ///   - further: whose stream it is; nil for the client itself.
  ///   - enter: joins by this name.
  /// - Throws: `OpenTokRefusal`.
  func arrive<Entered: Sendable>(
    _ claim: OpenTokToken.Claim, as connection: OpenTokConnectionID,
    further: OpenTokLedger.Further? = nil,
    _ enter: @Sendable (DisplayName) async throws(RoomRefusal) -> Entered
  ) async throws(OpenTokRefusal) -> Entered {
    let session = claim.session
    var taken = Set((await broker.snapshot(of: session.room)?.members ?? []).map(\.participant.name))
    var refusal = RoomRefusal(.nameTaken, "no name is free for this client")
    for _ in 0..<OpenTokDesk.attempts {
      guard let name = OpenTokClientName.make(of: claim.connectionData, connection, besides: taken) else { break }
      let arrival = OpenTokLedger.Arrival(
        id: further == nil ? connection : nil, data: claim.connectionData, layoutClasses: claim.layoutClasses,
        further: further)
      try await sessions.expect(name, arrival, in: session)
      do throws(RoomRefusal) {
        return try await enter(name)
      } catch {
        await sessions.forget(name, in: session)
        guard error.code == .nameTaken else { throw OpenTokRefusal(error) }
        refusal = error
        taken.insert(name)
      }
    }
    throw OpenTokRefusal(refusal)
  }

  /// Most names that are tried for one client.
  private static let attempts = 5

  /// A project as quotas see it.
  static func credential(of project: OpenTokProject) -> Credential { Credential(token: "opentok:\(project.key)") }

  /// What a project may do in the rooms of its sessions: everything that their owner may.
  func principal(in session: OpenTokSessionID) -> Principal {
    turnstile.gatekeeper.isOpen ? .operator : Principal(.owner, in: session.room)
  }

  /// The session of the path.
  /// - Throws: `OpenTokRefusal` 404.
  func session(_ text: String, of project: OpenTokProject) throws(OpenTokRefusal) -> OpenTokSessionID {
    try OpenTokSessionID(reading: text, of: project, hashes: projects.hashes)
  }

  private static let header = HTTPField.Name("X-OPENTOK-AUTH")
  /// Of older SDKs: key and secret as they are.
  private static let formerHeader = HTTPField.Name("X-TB-PARTNER-AUTH")
}

extension OpenTokHashes {
  /// By OpenSSL.
  package static let openSSL = OpenTokHashes(
    sha1: { HMAC.sha1($1, key: $0) }, sha256: { HMAC.sha256($1, key: $0) })
}

extension OpenTokProjects {
  /// A service without projects.
  package static let none = OpenTokProjects(hashes: .openSSL)
}

extension Response {
  init(_ answer: OpenTokAnswer, headers: HTTPFields = [:]) {
    var headers = headers
    headers[.cacheControl] = "no-store"
    let status = HTTPResponse.Status(code: answer.status)
    switch answer.body {
    case .none: self = .empty(status, headers: headers)
    case .json(let value):
      headers[.contentType] = MediaTypeName.json
      self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes)))
    case .xml(let text):
      headers[.contentType] = "text/xml"
      self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
  }
}
