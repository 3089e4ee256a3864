import Machines
import Music

@testable import Signaling

/// All dialects that have conversations.
enum Spoken: String, CaseIterable, Sendable {
  case native, kurento, kurentoTree, remon, xirsys, opentok

  /// Those whose sessions outlive their links.
  static let lasting = allCases.filter { $0 != .native }
  /// Those that let messages wait for the client by letters.
  static let writing: [Spoken] = [.native, .kurento, .remon]

  /// How long a session with a seat in a room, whose grace period is 30 s, waits after a loss.
  var wait: MonotonicTime.Span {
    switch self {
    case .native: .zero
    case .kurento, .remon, .xirsys: .seconds(30)
    case .kurentoTree: .seconds(10)
    case .opentok: .seconds(60)
    }
  }

  /// How long it waits for a client that has closed its link itself.
  var goodbye: MonotonicTime.Span {
    switch self {
    case .native, .xirsys, .opentok: .zero
    case .kurento, .kurentoTree, .remon: .milliseconds(1_500)
    }
  }

  /// A new client on link 1.
  func newcomer() -> any RiggedSession {
    let link = LinkNumber(1)
    return switch self {
    case .native: SessionRig(Spoken.nativeSample, on: link)
    case .kurento: SessionRig(Spoken.kurentoSample, on: link)
    case .kurentoTree: SessionRig(Spoken.treeSample, on: link)
    case .remon: SessionRig(Spoken.remonSample, on: link)
    case .xirsys: SessionRig(Spoken.xirsysSample, on: link)
    case .opentok: SessionRig(Spoken.opentokSample, on: link)
    }
  }

  /// A client with its seat.
  func seated() -> any RiggedSession {
    let rig = newcomer()
    rig.attach(LinkNumber(1), isLasting: true)
    rig.introduce(on: LinkNumber(1))
    rig.work()
    return rig
  }

  /// The session of link 2, whose client wants to go on with another session.
  func returner(to former: any RiggedSession) -> any RiggedSession {
    let link = LinkNumber(2)
    func rig<Speaker: Dialect & ~Copyable>(_ sample: DialectSample<Speaker>) -> any RiggedSession {
      SessionRig(sample, on: link, former: former as? SessionRig<Speaker>)
    }
    return switch self {
    case .native: rig(Spoken.nativeSample)
    case .kurento: rig(Spoken.kurentoSample)
    case .kurentoTree: rig(Spoken.treeSample)
    case .remon: rig(Spoken.remonSample)
    case .xirsys: rig(Spoken.xirsysSample)
    case .opentok: rig(Spoken.opentokSample)
    }
  }

  // MARK: The dialects

  private static let message = RoomEvent.message(from: KurentoSample.id("bob"), text: "hi", isPrivate: false)
  private static let refusal = RoomRefusal(.roomFull, "the room is full")

  private static func rpc(_ method: String, _ parameters: String) -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":\(parameters)}"
  }

  private static var nativeSample: DialectSample<NativeServer> {
    let machine: (LinkNumber) -> NativeServer = { _ in NativeServer(room: "take5", at: KurentoSample.start) }
    return DialectSample(
      newcomer: machine, entrance: [#"{"id":1,"method":"join","params":{"name":"Ada"}}"#], returner: machine,
      welcome: { _ in Sample.grant }, reply: { _, _ in .done }, refusal: refusal, message: message)
  }

  private static var kurentoSample: DialectSample<KurentoServer> {
    let machine: (LinkNumber) -> KurentoServer = { _ in
      KurentoServer(sessionID: "a", traits: KurentoSample.iOS, at: KurentoSample.start)
    }
    return DialectSample(
      newcomer: machine, entrance: [rpc("joinRoom", #"{"user":"ann","room":"take5"}"#)], returner: machine,
      wayBack: [rpc("connect", #"{"sessionId":"first"}"#)],
      welcome: { _ in
        KurentoSample.seating(KurentoSample.snapshot([KurentoSample.member("ann"), KurentoSample.member("bob")]))
      },
      reply: { _, _ in .done }, refusal: refusal, message: message)
  }

  private static var treeSample: DialectSample<KurentoTreeServer> {
    let machine: (LinkNumber) -> KurentoTreeServer = { _ in
      KurentoTreeServer(sessionID: "a", traits: KurentoSample.iOS, at: KurentoSample.start)
    }
    return DialectSample(
      newcomer: machine, entrance: [rpc("createTree", #"{"treeId":"gig"}"#)], returner: machine,
      wayBack: [rpc("connect", #"{"sessionId":"first"}"#)], welcome: { $0 },
      reply: { _, _ in .created(KurentoSample.room("gig")) }, refusal: TreeRefusal(.tree, "no"),
      before: SeatFacts(isTaken: true), seated: SeatFacts(isTaken: true, isProven: true))
  }

  private static var remonSample: DialectSample<RemonServer> {
    let machine: (LinkNumber) -> RemonServer = { RemonServer(on: $0, at: KurentoSample.start) }
    return DialectSample(
      newcomer: machine,
      entrance: [
        #"{"command":"connect","token":"tok-anna","serviceId":"band","channel":{"id":"take5","type":"P2P"}}"#
      ],
      returner: machine, wayBack: [#"{"command":"reconnect","token":"tok-anna","serviceId":"band"}"#],
      welcome: { entry in
        Seating(
          participant: KurentoSample.id("anna"), resumeSecret: "r",
          snapshot: KurentoSample.snapshot([
            KurentoSample.member("bob"), KurentoSample.member("anna", role: entry.request.role),
          ]), gracePeriod: 30, authority: .musician)
      },
      reply: { command, isReturning in
        guard case .present = command else { return .room(.done) }
        return isReturning ? .former(sessionID: "first") : .pass(RemonRig.pass)
      }, refusal: refusal, message: .room(message))
  }

  private static var xirsysSample: DialectSample<XirSysServer> {
    func machine(_ opening: XirSysOpening) -> (LinkNumber) -> XirSysServer {
      { link in
        XirSysServer(
          sessionID: "a", opening, as: XirSysRig.listener(.legacy), on: link, at: KurentoSample.start)
      }
    }
    return DialectSample(
      newcomer: machine(.enter(XirSysRig.entry)), entrance: [],
      returner: machine(.resume(sessionID: "first", XirSysRig.entry)), welcome: { _ in XirSysRig.seating([]) },
      reply: { _, _ in .done }, refusal: refusal)
  }

  private static var opentokSample: DialectSample<OpenTokServer> {
    let id = "11111111-2222-4333-8444-555555555555"
    let connection = OpenTokConnectionID(id) ?? OpenTokConnectionID(of: KurentoSample.id("anna"))
    let session = OpenTokArchiveRig.session()
    let place = RaptorPlace(key: "46000001", session: session.description, .connection(id))
    let machine: (LinkNumber) -> OpenTokServer = {
      OpenTokServer(sessionID: "a", .named, on: $0, at: KurentoSample.start)
    }
    let noon = WallTime(milliseconds: 1_795_262_400_000)
    return DialectSample(
      newcomer: machine,
      entrance: [
        RumorFrame(.connect, [.init(RumorHeader.uniqueID, id)]).text,
        RumorFrame(
          .message, [.init(RumorHeader.transaction, "1"), .init(RumorHeader.token, "T1==x")],
          payload: RaptorMessage(.create, place).text
        ).text,
      ],
      returner: machine, directReturn: OpenTokReturn(),
      welcome: { _ in
        OpenTokWelcome(
          role: .publisher,
          me: OpenTokConnection(id: connection, participant: KurentoSample.id("anna"), createdAt: noon, data: ""),
          scene: OpenTokScene(OpenTokSessionState(session: session, createdAt: noon), take: nil))
      },
      reply: { _, _ in .done }, refusal: .forbidden("no"), seated: SeatFacts(isTaken: true, isProven: true))
  }
}
