import Machines
import Music

@testable import Signaling

/// Both ends of one link, joined back to back.
struct NativeLink: ~Copyable {
  var rig = NativeRig()
  var client = DialectClient<NativeClient>()
  var now = MonotonicTime(nanoseconds: 0)

  /// Carries all texts of the client to the server; what the server wants of its shell.
  mutating func carryToServer() -> [NativeServer.Output] {
    var outputs: [NativeServer.Output] = []
    while let output = client.next() {
      if case .send(let text) = output { outputs += rig.say(text) }
    }
    return outputs
  }

  /// Feeds the server and carries its texts to the client; what the client makes of them.
  mutating func carryToClient(_ input: NativeServer.Input) -> [DialectClient<NativeClient>.Output] {
    for text in rig.feed(input).texts { client.handle(.text(text), at: now) }
    var outputs: [DialectClient<NativeClient>.Output] = []
    while let output = client.next() { outputs.append(output) }
    return outputs
  }

  mutating func join() {
    let id = client.ask(.join(JoinRequest(name: Sample.ada.name)), at: now)
    _ = carryToServer()
    _ = carryToClient(.joined(id, Sample.grant))
  }
}

/// Values with every member set, for both directions.
enum Sample {
  static let ada = Participant(id: id("ADA"), name: name("Ada"))
  static let bob = Participant(id: id("B0B"), name: name("Bob \"the bass\" 🎸"))
  static let take = RoomSnapshot.RollingTake(
    id: id("TAKE"), number: 3, song: Song(id: id("S0NG"), title: "Autumn\nLeaves"),
    startedAt: WallTime(milliseconds: 1_795_229_769_123))
  static let cue = Cue(id: id("C1"), position: SamplePosition(48_001), text: "bridge", author: ada.id)
  static let backing = BackingPlay(
    backing: id("BK1"), title: "drums", length: SamplePosition(8_640_000), from: SamplePosition(600_000),
    at: MonotonicTime(nanoseconds: 98_765_432_125_000))
  static let member = RoomSnapshot.Member(
    participant: bob, role: .listener, part: "bass", meta: "{\"seat\":2,\n\"é\":\"🎸\"}", hasPublication: true,
    isPublishing: true, isConnected: false, consents: false, isMuted: true, sound: .talkback, state: .away,
    quality: reading)
  static let reading = QualityReading(
    duration: 3.01, roundTrip: 41.25, jitter: 0.5, expected: 150, missed: 9, lost: 1, concealed: 960, dbfs: -21.5,
    heard: HeardQuality(roundTrip: 80.5, jitter: 2.5, received: 148, lost: 2, concealed: 0, dbfs: -30))
  static let snapshot = RoomSnapshot(
    room: room, policy: RoomPolicy(recording: .manual, topology: .mesh, capacity: 5, gracePeriod: 12.5),
    session: id("SESS"), members: [member], take: take, cues: [cue],
    isStopped: true, pairs: [pair], backing: backing)
  static let grant = Seating(
    participant: ada.id, resumeSecret: "secret", snapshot: snapshot,
    iceServers: [
      .init(urls: ["stun:stun.example.org"]), .init(urls: ["turn:a", "turn:b"], username: "u", credential: "c"),
    ], gracePeriod: 30, authority: .listener)
  static let pair = MeshPair(number: 7, offers: ada.id, answers: bob.id, state: .lost, attempt: 2)
  static let room = RoomName("blue room") ?? fallback()
  static let peer = PeerLabel("microphone") ?? fallback()
  static let sdp = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n"
  static let candidate = CandidateMessage(
    candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ host", mid: "0", mLineIndex: 0)

  static let commands: [RoomCommand] = [
    .publish(peer, offer: nil), .publish(peer, offer: sdp), .publish(peer, offer: sdp, loopsBack: true),
    .exchange(peer, with: bob.id, offer: nil), .exchange(peer, with: ada.id, offer: sdp),
    .subscribe(peer, to: .participant(ada.id), offer: nil), .subscribe(peer, to: .mix, offer: sdp),
    .subscribe(peer, to: .mix(without: bob.id), offer: nil), .redirect(peer, to: .mixMinus), .redirect(peer, to: nil),
    .subscribe(peer, to: .participant(bob.id), offer: sdp), .answer(peer, sdp: sdp), .candidate(peer, candidate),
    .candidate(peer, .end), .restart(peer, offer: sdp), .close(peer), .startTake(song: nil),
    .startTake(song: "Blue Bossa"), .stopTake, .splitTake(song: nil), .splitTake(song: "Solar"), .cue("bridge"),
    .message("hello", to: nil), .message("hello\u{0}", to: bob.id), .report(ClientReport()),
    .report(ClientReport(clientTime: 1_234_567_891, roundTrip: 1_000_001, playoutDelays: [ada.id: 5, bob.id: -7])),
    .report(
      ClientReport(
        clientTime: 1_234_567_891, serverTime: MonotonicTime(nanoseconds: 98_765_432_125), roundTrip: 1_000_001)),
    .call("sum", [.number(5), .date(5), .object(["$c": .null])]), .call("stop", []), .snapshot, .leave, .kick(bob.id),
    .topology(.mesh), .topology(.routed), .meshEnter, .meshReport(PairReport(.failed, pair: 7), about: bob.id),
    .meshReport(PairReport(.connected), about: bob.id),
    .meshRelay(PairMessage(.offer(sdp: sdp), pair: 7), to: bob.id),
    .meshRelay(PairMessage(.answer(sdp: sdp)), to: bob.id),
    .meshRelay(PairMessage(.candidate(candidate), pair: 7), to: bob.id),
    .meshRelay(PairMessage(.candidate(.end)), to: bob.id), .meshRelay(PairMessage(.bye), to: bob.id),
    .report(ClientReport(health: HeardQuality(roundTrip: 12.5, received: 148, lost: 2))),
    .report(ClientReport(playoutDelays: [ada.id: 5], directTrips: [ada.id: 7, bob.id: 1_000_001])),
    .mute(bob.id, true), .mute(ada.id, false), .sound(.on), .sound(.muted), .sound(.talkback),
    .sharedObjectUse(score, isPersistent: nil),
    .sharedObjectUse(score, isPersistent: true),
    .sharedObjectRelease(score), .sharedObjectChange(score, []),
    .sharedObjectChange(
      score,
      [
        .set("a", .date(5)), .set("$b", .object(["$c": .null])), .set("c", .null), .remove("d"), .clear,
        .send(handler: "h", []), .send(handler: "h", [.bytes([1]), .array([])]),
      ]),
  ]

  static let score = SharedObjectName(known: "score / \"1\"")
  static let link = LinkNumber(1)
  static let denial = RoomRefusal(.tooLarge, "too large")

  static let replies: [RoomReply] = [
    .done, .answer(peer, sdp: sdp), .offer(peer, sdp: sdp), .take(take.id, number: 7), .cue(cue), .snapshot(snapshot),
    .returned(.null), .returned(.array([.date(5), .string("x")])),
    .sharedObject(SharedObjectReceipt(name: score, version: 7)),
    .sharedObject(
      SharedObjectReceipt(
        name: score, version: 7, denials: [.init(key: nil, refusal: denial), .init(key: "a", refusal: denial)])),
  ]

  static let events: [RoomEvent] = [
    .joined(member), .left(ada.id), .changed(member), .published(ada.id), .unpublished(ada.id),
    .muted(true, by: ada.id),
    .muted(false, by: nil),
    .pair(pair), .relayed(PairMessage(.offer(sdp: sdp), pair: 7), from: ada.id), .topology(.routed),
    .relayed(PairMessage(.candidate(.end), pair: 7), from: ada.id), .state(ada.id, .waiting),
    .candidate(peer, candidate), .candidate(peer, .end), .peer(peer, .failed), .takeStarted(take),
    .takeStopped(take.id, next: nil), .takeStopped(take.id, next: nil, isStopped: true),
    .takeStopped(take.id, next: take), .takeFinished(take.id, .incomplete),
    .backing(backing), .backing(nil),
    .quality(ada.id, reading), .quality(bob.id, QualityReading(expected: 0, concealed: 144_000)),
    .journaled(take.id, SamplePosition(1_234_567)), .cue(take.id, cue),
    .message(from: ada.id, text: "hi", isPrivate: true), .missed(from: ada, text: "hi", isPrivate: false),
    .warning(code: .recordingDegraded, text: "disk full"),
    .warning(code: .recordingRecovered, text: "again"),
    .warning(code: .renderFailed, text: "no", take: TakeID(at: WallTime(milliseconds: 0))),
    .push(name: "countIn", []), .push(name: "countIn", [.number(4), .null]),
    .sharedObject(.init(name: score, version: 3, isPersistent: true, content: .slots([]))),
    .sharedObject(
      .init(
        name: score, version: 3, isPersistent: false, content: .slots([.init("$date", .null), .init("b", .bytes([0]))]))
    ),
    .sharedObject(
      .init(
        name: score, version: 3, isPersistent: false,
        content: .outcomes([
          .confirmed("a", .null), .changed("b", .object(["x": .date(1)])), .removed("c"), .cleared,
          .sent(handler: "h", [.array([.bool(true)])]), .denied("d", denial), .denied(nil, denial),
        ]))),
  ]

  static func id<Entity>(_ tail: String) -> Identifier<Entity> {
    let head = "01JD"
    return Identifier(head + String(repeating: "0", count: 26 - head.count - tail.count) + tail) ?? fallback()
  }

  private static func name(_ text: String) -> DisplayName { DisplayName(text) ?? fallback() }

  private static func fallback<Value>() -> Value { preconditionFailure("a sample is written wrongly") }
}
