import Foundation
import Glibc
import Music

/// Plays scenarios to a service and holds what it made of them against what was played.
package struct Laboratory: Sendable {
  private let service: TestedService
  /// Seconds that musicians play on after the take's stop was asked for.
  private let after: Double

  /// Seconds from the opening of the inputs to the beginning of a scenario.
  private static let lead = 0.1
  /// Seconds that their programmes stay open after they have ended.
  private static let answering = 0.3
  /// The longest that a take's files are waited for, in seconds.
  private static let patience = 240.0

  /// - Parameter standstill: the longest time for which the service may stand still, in seconds: nobody ends before it
  ///   has seen to a stop.
  package init(_ service: TestedService, standstill: Double = 0) {
    (self.service, after) = (service, 1 + standstill)
  }

  /// Plays a scenario in real time, waits for its files, and looks at them. Takes this thread for that long.
  package func perform(_ scenario: Scenario) -> Verdict {
    var verdict = Verdict(scenario: scenario)
    do {
      try perform(scenario, &verdict)
    } catch {
      verdict.failure = "\(error)"
    }
    return verdict
  }

  /// A musician's place in the room.
  private struct Input {
    var wire: any MusicianWire
    /// What ends it, below the service.
    var path: String
  }

  private func perform(_ scenario: Scenario, _ verdict: inout Verdict) throws {
    let room = "lab-\(scenario.kind.rawValue)-\(scenario.seed)-\(UInt32.random(in: 0 ... .max))"
    let scores = try scenario.musicians.map {
      try MusicianScore($0, until: $0.leaves ?? scenario.length + after)
    }
    let inputs = try scenario.musicians.map { try open($0, in: room) }
    let begin = LaboratoryClock.now + Int64(Laboratory.lead * 1e9)
    let end = scenario.length + after + Laboratory.answering
    let players = try scenario.musicians.indices.map {
      try MusicianPlayer(scenario.musicians[$0], scores[$0], over: inputs[$0].wire, begin: begin, end: end)
    }
    try play(scenario, players, inputs, room: room, begin: begin, end: end)
    verdict.lateness = Double(players.map(\.record.greatestLateness).max() ?? 0) / 1e6

    let take = try eventually("the take of \(room)") { try TakeOnDisk(of: room, in: service.recordings) }
    let revision = try eventually("the files of \(room)") { try take.revision() }
    let journal = try take.journal()
    func look(_ revision: TakeOnDisk.Revision) -> [TrackFinding] {
      scenario.musicians.indices.map { index in
        let musician = scenario.musicians[index]
        guard let track = revision.certificate.tracks.first(where: { $0.participant.name == musician.name }),
          let sound = track.file.flatMap({ revision.sound[$0] })
        else { return TrackFinding(musician: musician.name) }
        return TrackAnalysis(
          musician: musician, score: scores[index], record: players[index].record, journal: journal, begin: begin
        ).finding(
          track, SoundSearch(sound: sound, noise: scores[index].noise), length: revision.certificate.take.length ?? 0)
      }
    }
    if revision.certificate.refinement == nil { verdict.first = look(revision) }
    guard try revision.certificate.refinement != nil || take.examine().isWorthwhile else {
      verdict.final = verdict.first
      return
    }
    verdict.isRefined = true
    verdict.final = look(
      try eventually("the second look at \(room)") { try take.revision(isRefined: true) })
  }

  // MARK: The performance

  private func open(_ musician: RealMusician, in room: String) throws -> Input {
    switch musician.entrance {
    case .plainRTP: try openPort(musician, in: room)
    case .webRTC: try connect(musician, in: room)
    }
  }

  private func openPort(_ musician: RealMusician, in room: String) throws -> Input {
    var wish: [String: Any] = [
      "name": musician.name, "profile": "RTP/AVP", "payloadType": Int(MusicianScore.payloadType), "channels": 1,
    ]
    if musician.sendsRedundancy { wish["redundancyPayloadType"] = Int(MusicianScore.redPayloadType) }
    if musician.stampsEvery != nil { wish["captureTimeExtension"] = Int(MusicianScore.captureTimeExtension) }
    let answer = try service.ask("POST", "/v1/rooms/\(room)/rtp", .json(wish))
    guard answer.status == 201,
      let fields = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
      let id = fields["id"] as? String, let port = fields["port"] as? Int, let port = UInt16(exactly: port)
    else { throw LaboratoryProblem("no input: \(answer.status) \(answer.text)") }
    return Input(wire: try LoopbackSocket(to: port), path: "/v1/rooms/\(room)/rtp/\(id)")
  }

  private func connect(_ musician: RealMusician, in room: String) throws -> Input {
    let offer = try SecureOffer(musician)
    let name = musician.name.replacing(" ", with: "%20")
    let answer = try service.ask(
      "POST", "/whip/\(room)?name=\(name)", .init(type: "application/sdp", bytes: Array(offer.text.utf8)))
    guard answer.status == 201, let path = answer.location else {
      throw LaboratoryProblem("no seat: \(answer.status) \(answer.text)")
    }
    return Input(wire: try SecureWire(offer, offer.accept(answer.text)), path: path)
  }

  private func play(
    _ scenario: Scenario, _ players: [MusicianPlayer], _ inputs: [Input], room: String, begin: Int64, end: Double
  ) throws {
    let service = service
    let errands = Errands()
    // Staying musicians leave only once the take is stopped, however long that takes: an empty room ends its take.
    let stop = DispatchGroup()
    stop.enter()
    var pending = EventQueue<@Sendable () throws -> Void>()
    func time(_ seconds: Double) -> Int64 { begin + Int64(seconds * 1e9) }
    pending.add(at: time(scenario.length)) {
      defer { stop.leave() }
      guard let id = try TakeOnDisk(of: room, in: service.recordings)?.identifier() else {
        throw LaboratoryProblem("\(room) has no take to stop")
      }
      let answer = try service.ask("POST", "/v1/takes/\(id)/stop")
      guard answer.status == 200 else {
        throw LaboratoryProblem("the take was not stopped: \(answer.status) \(answer.text)")
      }
    }
    for (musician, input) in zip(scenario.musicians, inputs) {
      let (path, stays) = (input.path, musician.leaves == nil)
      pending.add(at: time(musician.leaves.map { $0 + musician.patience } ?? end)) {
        if stays { stop.wait() }
        _ = try service.ask("DELETE", path)
      }
    }
    let alarm = try LaboratoryAlarm()
    while LaboratoryClock.now < time(end) || !pending.isEmpty {
      for player in players { player.work() }
      while let (_, errand) = pending.pop(at: LaboratoryClock.now) { errands.run(errand) }
      let next = (players.compactMap(\.next) + [pending.next].compactMap { $0 }).min()
      guard LaboratoryClock.now < time(end) || next != nil else { break }
      alarm.set(next ?? time(end))
      alarm.wait(or: players.map(\.descriptor))
    }
    try errands.wait()
  }

  private func eventually<Value>(_ what: String, _ value: () throws -> Value?) throws -> Value {
    let deadline = LaboratoryClock.now + Int64(Laboratory.patience * 1e9)
    while LaboratoryClock.now < deadline {
      if let value = try value() { return value }
      usleep(20_000)
    }
    throw LaboratoryProblem("waited \(Laboratory.patience) s in vain for \(what)")
  }
}
