import Machines
import Music
import Signaling

/// Texts of a signaling link, one a line, to the machine of each dialect; a shell of a few lines answers it.
extension FuzzTarget {
  static let kurento = FuzzTarget("kurento", longest: 8_192) { bytes in
    var machine = KurentoServer(sessionID: "fuzz", traits: traits, at: start)
    try converse(with: &machine, bytes, welcome: { seating($0) }, reply: { reply(to: $0) }, refusal: refusal)
  }

  static let native = FuzzTarget("native", longest: 8_192) { bytes in
    var machine = NativeServer(room: "take5", at: start)
    try converse(with: &machine, bytes, welcome: { seating($0) }, reply: { reply(to: $0) }, refusal: refusal)
  }

  static let kurentoTree = FuzzTarget("kurento-tree", longest: 8_192) { bytes in
    var machine = KurentoTreeServer(sessionID: "fuzz", traits: traits, at: start)
    try converse(
      with: &machine, bytes, welcome: nil, reply: { reply(to: $0.command) },
      refusal: TreeRefusal(.tree, "no"))
  }

  /// The command line's clients, under a hostile service.
  static let clients = FuzzTarget("clients", longest: 8_192) { bytes in
    var native = NativeClient()
    var kurento = KurentoClient()
    var tree = KurentoTreeClient()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      native.handle(.text(text), at: start)
      kurento.handle(.text(text), at: start)
      tree.handle(.text(text), at: start)
      while native.next() != nil {}
      while kurento.next() != nil {}
      while tree.next() != nil {}
    }
  }

  /// Any JSON text, as a link reads it.
  static let json = FuzzTarget("json", longest: 16_384) { bytes in
    guard let value = try? JSONValue(parsing: bytes) else { return }
    try promise(
      (try? JSONValue(parsing: value.bytes, limits: .received)) == value, "the value is another once it was written")
  }

  private static let start = MonotonicTime(nanoseconds: 0)
  private static let traits = KurentoClientTraits(hasOrigin: true, hasUserAgent: false)
  private static let refusal = RoomRefusal(.wrongState, "no")
  private static let answer = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n"

  private static func converse<Machine: Dialect & ~Copyable>(
    with machine: inout Machine, _ bytes: [UInt8], welcome: ((Machine.Words.Entry) -> Machine.Words.Welcome)?,
    reply: (Machine.Words.Command) -> Machine.Words.Reply?, refusal: Machine.Words.Refusal
  ) throws {
    let link = LinkNumber(1)
    var now = start
    var texts = 0
    var answers = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      texts += 1
      now = now + .milliseconds(20)
      if let due = machine.deadline, due <= now { machine.advance(to: now) }
      machine.handle(.text(String(decoding: line, as: UTF8.self), from: link), at: now)
      while let output = machine.next() {
        switch output {
        case .join(let ticket, let entry):
          if let welcome { machine.handle(.joined(ticket, welcome(entry)), at: now) }
        case .perform(let ticket, let command):
          machine.handle(reply(command).map { .replied(ticket, $0) } ?? .refused(ticket, refusal), at: now)
        case .resume(_, let request, on: let link): machine.handle(.unknownSession(request, on: link), at: now)
        case .answer(let text, to: _):
          answers += 1
          try promise((try? JSONValue(parsing: text, limits: .received)) != nil, "an answer is no JSON")
        case .notify(let text):
          try promise((try? JSONValue(parsing: text, limits: .received)) != nil, "a notification is no JSON")
        case .close: break
        case .end: return
        }
      }
    }
    try promise(answers <= texts, "\(texts) texts got \(answers) answers")
  }

  private static func seating(_ entry: RoomEntry) -> Seating {
    let me = Participant(id: ParticipantID(ULID(high: 1, low: 1)), name: entry.request.name)
    let member = RoomSnapshot.Member(
      participant: me, role: entry.request.role, hasPublication: true, isPublishing: true, isConnected: true,
      consents: true)
    return Seating(
      participant: me.id, resumeSecret: "secret",
      snapshot: RoomSnapshot(room: entry.room, policy: RoomPolicy(), session: nil, members: [member], take: nil),
      gracePeriod: 30, authority: .musician)
  }

  private static func reply(to command: RoomCommand) -> RoomReply? {
    switch command {
    case .publish(let peer, offer: .some, _), .subscribe(let peer, to: _, offer: .some), .restart(let peer, offer: _):
      .answer(peer, sdp: answer)
    case .publish(let peer, offer: nil, _), .subscribe(let peer, to: _, offer: nil): .offer(peer, sdp: answer)
    case .startTake, .splitTake: .take(TakeID(ULID(high: 2, low: 2)), number: 1)
    case .candidate, .close, .leave, .message: .done
    default: nil
    }
  }

  private static func reply(to command: TreeCommand) -> TreeReply? {
    switch command {
    case .create(let name): name.map { .created($0) }
    case .setSource: .answer(answer)
    case .addSink: .sink("sink", answer: answer)
    default: .done
    }
  }
}
