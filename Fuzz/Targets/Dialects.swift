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

  /// The first byte says in which dialect, as what client, and of what room.
  static let xirsys = FuzzTarget("xirsys", longest: 8_192) { bytes in
    let choice = bytes.first ?? 0
    let listener = XirSysListener(
      framing: choice & 1 == 0 ? .legacy : .channel, isPage: choice & 2 != 0, path: "a/b/take5", room: "take5")
    guard let room = RoomName("take5"), let name = DisplayName("ann") else { return }
    let entry = RoomEntry(room, JoinRequest(name: name, door: .xirsys))
    var machine = XirSysServer(sessionID: "fuzz", .enter(entry), as: listener, on: LinkNumber(1), at: start)
    try converse(
      with: &machine, Array(bytes.dropFirst()),
      welcome: { entry in
        var seating = seating(entry)
        // Somebody to speak with.
        if var bob = seating.snapshot.members.first, let name = DisplayName("bob") {
          bob.participant = Participant(id: ParticipantID(ULID(high: 1, low: 3)), name: name)
          seating.snapshot.members.append(bob)
        }
        if choice & 4 != 0 {
          seating.snapshot.policy.topology = .mesh
          for index in seating.snapshot.members.indices { seating.snapshot.members[index].isDirect = true }
        }
        return seating
      },
      reply: { command in
        if case .room(let command) = command { reply(to: command) } else { .done }
      }, refusal: refusal)
    let form = XirSysForm(parsing: String(decoding: bytes, as: UTF8.self))
    _ = try? XirSysChannel(domain: form["d"], application: form["a"], room: form["r"])
  }

  /// The first byte says of what room; the first text's token is right.
  static let remon = FuzzTarget("remon", longest: 8_192) { bytes in
    let choice = bytes.first ?? 0
    var machine = RemonServer(on: LinkNumber(1), at: start)
    try converse(
      with: &machine, Array(bytes.dropFirst()),
      welcome: { entry in
        var seating = seating(RoomEntry(entry.room, entry.request))
        if choice & 1 != 0, var bob = seating.snapshot.members.first, let name = DisplayName("bob") {
          bob.participant = Participant(id: ParticipantID(ULID(high: 1, low: 3)), name: name)
          bob.role = .musician
          seating.snapshot.members.append(bob)
        }
        for index in seating.snapshot.members.indices where choice & 2 != 0 {
          (seating.snapshot.members[index].isDirect, seating.snapshot.members[index].door) = (true, .remon)
        }
        return seating
      },
      reply: { command in
        switch command {
        case .room(let command): reply(to: command).map { RemonReply.room($0) }
        case .present(let token, _): RemonReply.pass(RemonPass(token: token, serviceID: "band", proposal: "PROPOSED"))
        case .find: RoomName("take5").map { RemonReply.source(RemonSource(room: $0, participant: nil)) }
        case .search: RemonReply.list([])
        case .relay, .health: RemonReply.room(.done)
        }
      }, refusal: refusal)
    _ = try? RemonInit(parsing: bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    if let room = try? RemonChannelID.room(text) { try promise(RemonChannelID.isOne(room), "no room for a channel") }
  }

  /// Tokens, session ids, forms and bodies of OpenTok, with hashes that fit nothing.
  static let openTok = FuzzTarget("opentok", longest: 8_192) { bytes in
    let none: OpenTokHashes.KeyedHash = { _, message in Array(message.prefix(32)) }
    let hashes = OpenTokHashes(sha1: none, sha256: none)
    guard let project = try? OpenTokProject(key: "46000001", secret: String(repeating: "s", count: 40)),
      let projects = try? OpenTokProjects([project], hashes: hashes)
    else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    let now = WallTime(milliseconds: 1_790_000_000_000)
    _ = try? OpenTokToken.read(text, projects, at: now)
    _ = try? OpenTokToken.read("T1==" + Base64.standard.encode(bytes), projects, at: now)
    _ = try? OpenTokServerToken.read(text, projects, at: now)
    if let id = try? OpenTokSessionID(reading: text, of: project, hashes: hashes) {
      try promise(id.description == text, "the id is another once it was written")
    }
    if let settings = try? OpenTokCreation.settings(form: text),
      let id = try? OpenTokSessionID(of: project, settings, nonce: ULID(high: 1, low: 1), hashes: hashes)
    {
      try promise(
        (try? OpenTokSessionID(reading: id.description, of: project, hashes: hashes))?.settings == settings,
        "the settings are others once they were written")
    }
    guard let body = try? OpenTokBodies.object(bytes) else { return }
    _ = try? OpenTokBodies.signal(body, to: nil)
    _ = try? OpenTokBodies.mute(body)
    _ = try? OpenTokBodies.classes(body)
    _ = try? OpenTokCallback(body, id: "", project: project.key, at: now)
    if let wish = try? OpenTokConnectorWish(body),
      case .text(let text) = OpenTokConnector.message([1, 2], by: wish.transport)
    {
      try promise((try? JSONValue(parsing: text)) != nil, "sound is no JSON")
    }
  }

  /// The command line's clients, under a hostile service.
  static let clients = FuzzTarget("clients", longest: 8_192) { bytes in
    let texts = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    hear(NativeClient.self, .perform(.snapshot), texts)
    hear(KurentoClient.self, .room(.leaveRoom), texts)
    hear(KurentoTreeClient.self, .ping(), texts)
  }

  /// Asks once a text, so that answers have questions.
  private static func hear<Words: ClientDialect>(_ words: Words.Type, _ question: Words.Question, _ texts: [String]) {
    var client = DialectClient<Words>()
    for text in texts {
      _ = client.ask(question, at: start)
      client.handle(.text(text), at: start)
      while client.next() != nil {}
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
    case .publish(let peer, offer: .some, _), .subscribe(let peer, to: _, offer: .some), .restart(let peer, offer: _),
      .exchange(let peer, with: _, offer: .some):
      .answer(peer, sdp: answer)
    case .publish(let peer, offer: nil, _), .subscribe(let peer, to: _, offer: nil),
      .exchange(let peer, with: _, offer: nil):
      .offer(peer, sdp: answer)
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
