import Machines
import Music
import Signaling

/// OpenTok's client wire.
extension FuzzTarget {
  /// A frame of Rumor.
  static let rumor = FuzzTarget("rumor", longest: 4_096) { bytes in
    guard let frame = try? RumorFrame(bytes) else { return }
    try promise((try? RumorFrame(frame.bytes)) == frame, "the frame is another once it was written")
    var plain = frame
    // A JSON object has one value for a name.
    plain.headers = []
    for header in frame.headers where plain[header.name] == nil { plain.headers.append(header) }
    try promise(
      RumorFrame(text: plain.text, limits: .received) == plain, "the frame is another once it was a text")
    guard let message = try? RaptorMessage(parsing: frame.payload, limits: .signaling) else { return }
    try promise(
      (try? RaptorMessage(parsing: message.text, limits: .received)) == message, "the message is another once written")
  }

  /// Messages of a client, one a line, to the machine; a shell of a few lines answers it. The first byte says as whom.
  static let raptor = FuzzTarget("raptor", longest: 8_192) { bytes in
    let choice = Int(bytes.first ?? 0)
    let roles = OpenTokToken.Role.allCases
    let start = MonotonicTime(nanoseconds: 0)
    let link = LinkNumber(1)
    var machine = OpenTokServer(sessionID: "fuzz", choice & 8 == 0 ? .named : .fresh, on: link, at: start)
    var number = 0
    for line in bytes.dropFirst().split(separator: UInt8(ascii: "\n")) {
      number += 1
      let now = start + .milliseconds(Int64(number) * 20)
      let headers = [
        RumorFrame.Header("TRANSACTION-ID", "\(number)"), RumorFrame.Header("uniqueId", connection),
        RumorFrame.Header("X-TB-TOKEN-AUTH", "T1=="),
      ]
      let payload = String(decoding: line, as: UTF8.self)
      let frame = RumorFrame(number == 1 ? .connect : .message, headers, payload: number == 1 ? "" : payload)
      machine.handle(.text(frame.text, from: link), at: now)
      while let output = machine.next() {
        switch output {
        case .join(let ticket, let entry):
          let welcome = try welcome(roles[choice % roles.count], entry)
          machine.handle(.joined(ticket, welcome), at: now)
        case .perform(let ticket, let command): answer(&machine, ticket, command, at: now)
        case .notify(let text):
          let frame = RumorFrame(text: text, limits: .received)
          try promise(frame != nil, "what is told is no frame")
          try promise(
            (frame?.bytes).map { (try? RumorFrame($0)) == frame } == true, "what is told is no frame of bytes")
        case .end: return
        case .answer, .close, .resume: break
        }
      }
    }
  }

  private static let connection = "11111111-2222-4333-8444-555555555555"
  private static let bob = ParticipantID(ULID(high: 1, low: 3))
  private static let description =
    "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n"

  private static func welcome(_ role: OpenTokToken.Role, _ entry: OpenTokEntry) throws -> OpenTokWelcome {
    let hashes = OpenTokHashes(sha1: { _, _ in [UInt8](repeating: 1, count: 20) }) { _, _ in
      [UInt8](repeating: 2, count: 32)
    }
    let project = try OpenTokProject(key: "46000001", secret: String(repeating: "a", count: 40))
    let session = try OpenTokSessionID(of: project, nonce: ULID(high: 1, low: 7), hashes: hashes)
    let time = WallTime(milliseconds: 1)
    let me = OpenTokConnection(
      id: entry.connection, participant: ParticipantID(ULID(high: 1, low: 1)), createdAt: time, data: "ann")
    let other = OpenTokConnection(id: OpenTokConnectionID(of: bob), participant: bob, createdAt: time, data: "bob")
    let stream = OpenTokStream(
      id: OpenTokStreamID(of: bob), connection: other.id, participant: bob, createdAt: time, name: "bob")
    let state = OpenTokSessionState(
      session: session, createdAt: time, connections: [me, other], streams: [stream])
    return OpenTokWelcome(role: role, me: me, scene: OpenTokScene(state, take: nil))
  }

  private static func answer(
    _ machine: inout OpenTokServer, _ ticket: OperationNumber, _ command: OpenTokCommand, at now: MonotonicTime
  ) {
    switch command {
    case .room(.publish(let label, _, _)), .room(.restart(let label, _)):
      machine.handle(.replied(ticket, .answer(label, sdp: description)), at: now)
      machine.handle(.event(.room(.candidate(label, CandidateMessage(candidate: "candidate:1")))), at: now)
    case .room(.subscribe(let label, _, _)): machine.handle(.replied(ticket, .offer(label, sdp: description)), at: now)
    case .forceMute, .room(.redirect): machine.handle(.refused(ticket, .forbidden("no")), at: now)
    default: machine.handle(.replied(ticket, .done), at: now)
    }
  }
}
