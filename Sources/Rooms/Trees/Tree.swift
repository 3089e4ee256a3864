import Music
import Signaling

/// One tree: its source, and the listeners who hear it.
///
/// When the source changes, the sinks switch to the new one over their existing connections.
actor Tree {
  /// The source that the sinks hear.
  private enum Source {
    /// Sent by a session of this dialect.
    case own(TreePlace)
    /// A musician who joined the room in any way.
    case musician(ParticipantID)
    case mix
  }

  typealias Follow = @Sendable (Membership, @escaping @Sendable (AsyncStream<RoomEvent>) async -> Void) -> Void

  private let name: RoomName
  private let broker: Broker
  private let follow: Follow
  private var source: Source?
  private var sinks: [String: TreePlace] = [:]
  private var nextSink: UInt64 = 0

  /// The name in the room of a source that sends by itself.
  private static let sourceName = "source"
  private static let sourceLabel = "source"
  private static let sinkLabel = "sink"

  init(name: RoomName, broker: Broker, follow: @escaping Follow) {
    self.name = name
    self.broker = broker
    self.follow = follow
  }

  // MARK: The source

  /// Makes a session's audio the source; returns the answer to its offer.
  func publish(_ offer: String, by owner: TreeOwner, as bearer: TreeBearer) async throws(TreeRefusal) -> String {
    let label = try Tree.label(Tree.sourceLabel)
    try checkSource(by: owner, as: bearer)
    do throws(RoomRefusal) {
      let seat = try Tree.name(Tree.sourceName)
      if case .own(let former) = source {
        do throws(RoomRefusal) {
          // The new source takes over the former one's seat, track and listeners. The seat first: an offer only runs
          // on a seat that its sender may have.
          try await former.membership.adopt(bearer.request(name: seat, role: .musician))
          let answer = try await publish(offer, label, former, seat)
          source = .own(TreePlace(membership: former.membership, owner: owner, bearer: bearer))
          return answer
        } catch  where error.code == .notJoined {
          // The room has removed the former one meanwhile.
          source = nil
        }
      }
      let membership = try await broker.enter(name, bearer.request(name: seat, role: .musician))
      do throws(RoomRefusal) {
        let answer = try await Tree.publish(offer, label, membership)
        source = .own(TreePlace(membership: membership, owner: owner, bearer: bearer))
        watch(membership, sink: nil)
        await turnSinks()
        return answer
      } catch {
        await membership.leave()
        throw error
      }
    } catch {
      throw TreeRefusal(.tree, error.description)
    }
  }

  /// Publishes on the seat of a former source, which gets it back if the offer is invalid.
  private func publish(
    _ offer: String, _ label: PeerLabel, _ former: TreePlace, _ seat: DisplayName
  ) async throws(RoomRefusal) -> String {
    do throws(RoomRefusal) {
      return try await Tree.publish(offer, label, former.membership)
    } catch {
      do throws(RoomRefusal) {
        try await former.membership.adopt(former.bearer.request(name: seat, role: .musician))
      } catch {
        // Its credentials were revoked meanwhile.
        await former.membership.leave()
      }
      throw error
    }
  }

  private static func publish(
    _ offer: String, _ label: PeerLabel, _ membership: Membership
  ) async throws(RoomRefusal) -> String {
    guard case .answer(_, let answer) = try await membership.perform(.publish(label, offer: offer)) else {
      throw RoomRefusal(.unavailable, "the source received no answer; try again")
    }
    return answer
  }

  /// Makes a musician of the room the source.
  func turn(to musician: DisplayName, by owner: TreeOwner, as bearer: TreeBearer) async throws(TreeRefusal) {
    try checkSource(by: owner, as: bearer)
    let members = await broker.snapshot(of: name)?.members ?? []
    guard let found = members.first(where: { $0.role == .musician && $0.participant.name == musician }) else {
      let there = members.filter { $0.role == .musician }.map { "\"\($0.participant.name)\"" }.joined(separator: ", ")
      throw TreeRefusal(
        .tree,
        "no musician \"\(musician)\" is in \(name)" + (there.isEmpty ? "; nobody plays there" : "; there are \(there)"))
    }
    await replaceSource(by: .musician(found.participant.id))
  }

  /// Makes the room's live mix the source.
  func turnToMix(by owner: TreeOwner, as bearer: TreeBearer) async throws(TreeRefusal) {
    try checkSource(by: owner, as: bearer)
    guard await broker.snapshot(of: name) != nil else {
      throw TreeRefusal(.tree, "nobody is in the room \(name), so there is nothing to mix")
    }
    await replaceSource(by: .mix)
  }

  func removeSource(by owner: TreeOwner, as bearer: TreeBearer) async throws(TreeRefusal) {
    try checkSource(by: owner, as: bearer)
    await replaceSource(by: nil)
  }

  /// Whether a session may replace the source, which ends that of another session.
  func checkSource(by owner: TreeOwner, as bearer: TreeBearer) throws(TreeRefusal) {
    if case .own(let own) = source { try own.check(.publish, by: owner, as: bearer) }
  }

  private func replaceSource(by next: Source?) async {
    let former = source
    source = next
    await turnSinks()
    if case .own(let own) = former { await own.membership.leave() }
  }

  /// The current source of the sinks; nil if the tree has none.
  ///
  /// A tree without an explicit source carries the live mix of its room, if somebody plays there.
  private func audioSource() async -> AudioSource? {
    switch source {
    case .own(let own): return .participant(own.membership.participant)
    case .musician(let participant): return .participant(participant)
    case .mix: return .mix
    case nil:
      let members = await broker.snapshot(of: name)?.members ?? []
      return members.contains { $0.role == .musician } ? .mix : nil
    }
  }

  private func turnSinks() async {
    let target = source == nil ? nil : await audioSource()
    for sink in sinks.values { await turn(sink.membership, to: target) }
  }

  private func turn(_ membership: Membership, to target: AudioSource?) async {
    guard let label = PeerLabel(Tree.sinkLabel) else { return }
    // A sink that is leaving need not be switched, and a musician who has just left cannot be a source.
    _ = try? await membership.perform(.redirect(label, to: target))
  }

  // MARK: Sinks

  /// Adds a viewer of the source; returns the sink's identifier and the answer to its offer.
  func addSink(_ offer: String, by owner: TreeOwner, as bearer: TreeBearer) async throws(TreeRefusal) -> (
    String, answer: String
  ) {
    guard let target = await audioSource() else {
      throw TreeRefusal(.tree, "the tree \"\(name)\" has no source; set one with setTreeSource")
    }
    let label = try Tree.label(Tree.sinkLabel)
    nextSink += 1
    do throws(RoomRefusal) {
      let request = bearer.request(
        name: try Tree.name("sink-\(nextSink)-\(UInt32.random(in: .min ... .max))"), role: .listener)
      let membership = try await broker.enter(name, request)
      do throws(RoomRefusal) {
        guard
          case .answer(_, let answer) = try await membership.perform(.subscribe(label, to: target, offer: offer))
        else { throw RoomRefusal(.unavailable, "the sink received no answer; try again") }
        let id = "\(membership.participant)"
        sinks[id] = TreePlace(membership: membership, owner: owner, bearer: bearer)
        watch(membership, sink: id)
        // The source may have changed meanwhile.
        if let current = await audioSource(), current != target { await turn(membership, to: current) }
        return (id, answer)
      } catch {
        await membership.leave()
        throw error
      }
    } catch {
      throw TreeRefusal(
        .tree,
        error.code == .tooMany ? "Max number of viewers reached: \(error.description)" : error.description)
    }
  }

  /// Removes a sink. Everybody in the room can read its identifier, so that of another session needs the right to
  /// remove members.
  func removeSink(_ id: String, by owner: TreeOwner, as bearer: TreeBearer) async throws(TreeRefusal) {
    guard let sink = sinks[id] else {
      throw TreeRefusal(.failure, "there is no sink \"\(id.prefix(64))\" in the tree \"\(name)\"")
    }
    try sink.check(.kick, by: owner, as: bearer)
    sinks[id] = nil
    await sink.membership.leave()
  }

  /// Adds a candidate from the client of the source or of a sink; it decides where their audio goes.
  func add(
    _ candidate: CandidateMessage, sink id: String?, by owner: TreeOwner, as bearer: TreeBearer
  ) async throws(TreeRefusal) {
    let place: TreePlace
    if let id {
      guard let sink = sinks[id] else {
        throw TreeRefusal(.tree, "there is no sink \"\(id.prefix(64))\" in the tree \"\(name)\"")
      }
      place = sink
    } else {
      guard case .own(let own) = source else {
        throw TreeRefusal(.tree, "the tree \"\(name)\" has no source for candidates")
      }
      place = own
    }
    try place.check(.kick, by: owner, as: bearer)
    let label = try Tree.label(id == nil ? Tree.sourceLabel : Tree.sinkLabel)
    do throws(RoomRefusal) {
      _ = try await place.membership.perform(.candidate(label, candidate))
    } catch {
      throw TreeRefusal(.tree, error.description)
    }
  }

  // MARK: Ends

  /// Releases everything that belongs to a session that has ended.
  func release(_ owner: String) async {
    for (id, sink) in sinks where sink.owner.id == owner {
      sinks[id] = nil
      await sink.membership.leave()
    }
    if case .own(let own) = source, own.owner.id == owner { await replaceSource(by: nil) }
  }

  /// Releases the source, and the sinks that `owner` may remove.
  /// - Returns: false if there are others.
  func releaseAll(by owner: TreeOwner, as bearer: TreeBearer) async -> Bool {
    for (id, sink) in sinks where (try? sink.check(.kick, by: owner, as: bearer)) != nil {
      sinks[id] = nil
      await sink.membership.leave()
    }
    await replaceSource(by: nil)
    return sinks.isEmpty
  }

  /// Forwards candidates until the room removes the member.
  private func watch(_ membership: Membership, sink: String?) {
    follow(membership) { [weak self] events in
      for await event in events {
        if case .candidate(_, let candidate) = event { await self?.pass(on: candidate, sink: sink) }
      }
      await self?.ended(membership, sink: sink)
    }
  }

  private func pass(on candidate: CandidateMessage, sink: String?) {
    let owner: TreeOwner?
    if let sink {
      owner = sinks[sink]?.owner
    } else if case .own(let own) = source {
      owner = own.owner
    } else {
      owner = nil
    }
    owner?.onEvent(.candidate(name, sink: sink, candidate))
  }

  private func ended(_ membership: Membership, sink: String?) async {
    if let sink {
      if sinks[sink]?.membership === membership { sinks[sink] = nil }
    } else if case .own(let own) = source, own.membership === membership {
      source = nil
    }
  }

  private static func label(_ text: String) throws(TreeRefusal) -> PeerLabel {
    guard let label = PeerLabel(text) else { throw TreeRefusal(.failure, "\"\(text)\" is not a valid label") }
    return label
  }

  private static func name(_ text: String) throws(RoomRefusal) -> DisplayName {
    guard let name = DisplayName(text) else { throw RoomRefusal(.invalidName, "\"\(text)\" is not a valid name") }
    return name
  }
}
