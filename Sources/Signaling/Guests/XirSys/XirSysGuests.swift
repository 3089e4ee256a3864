import Machines
import Music

/// A listener in a room of XirSys: one peer of the mesh, with a connection to every other user.
///
/// Those who are there make the offers and the newcomer answers, as in PerchRTC: the bot waits for those whom it finds,
/// and offers to those who come after it. A user who does not offer in time gets an offer, so that nobody waits for ever.
package struct XirSysGuests: GuestMachine, Sendable {
  private struct Peer: Sendable {
    var vocabulary: XirSysVocabulary
    /// The `connectionId`, empty where the dialect has none; nil without a connection.
    var connection: String?
    /// The connection that was given up last. Its goodbye may come after the end of its media.
    var lost: String?
    /// True once both descriptions are there.
    var isOpen = false
    /// True from the goodbye that ended a connection until another one begins.
    var hasHungUp = false
    /// True while the user is not in the list, but the connection may still carry sound: presence is the socket's.
    var isAbsent = false
    /// Where the audio stands in their description, and in ours.
    var audio = AudioOnlyDescription.AudioPlace()
    var section: BundledSection?
  }

  private let speaker: XirSysSpeaker
  private let vocabulary: XirSysVocabulary
  private let limits: JSONLimits
  /// Makes the names of connections unique beyond this visit.
  private let prefix: String
  private var count = 0
  private var isJoined = false
  private var peers: [GuestKey: Peer] = [:]
  package var visit = GuestVisit()

  /// - Parameters:
  ///   - name: the bot's in the room, as in its token.
  ///   - path: the channel, `domain/application/room`.
  ///   - vocabulary: for those who have said nothing yet; everybody else is answered in their own.
  ///   - prefix: of connections' names.
  package init(
    name: String, path: String, vocabulary: XirSysVocabulary, prefix: String, limits: JSONLimits = .received
  ) {
    speaker = XirSysSpeaker(name: name, path: path)
    (self.vocabulary, self.prefix, self.limits) = (vocabulary, prefix, limits)
  }

  /// The token has said everything: the server speaks first.
  package mutating func begin(at now: MonotonicTime) { visit.asked(at: now) }

  /// The link's own pings keep it alive; XirSys answers no text.
  package mutating func giveSign(at now: MonotonicTime) { visit.signed(at: now) }

  package mutating func handle(_ input: GuestInput, at now: MonotonicTime) {
    guard !visit.isOver else { return }
    switch input {
    case .text(let text):
      visit.heard(at: now)
      do throws(GuestFault) {
        try take(try XirSysNews(text, limits: limits), at: now)
      } catch {
        visit.end(error)
      }
    case .offer(let key, let sdp):
      guard peers[key] != nil else { return }
      // in range: a visit has fewer offers
      count &+= 1
      peers[key]?.connection = "\(prefix)-\(count)"
      peers[key]?.isOpen = false
      peers[key]?.hasHungUp = false
      peers[key]?.section = BundledSection(answer: sdp)
      visit.guests.asked(key, at: now)
      // PerchRTC's answer needs a section for pictures.
      say(.offer(sdp: AudioOnlyDescription.addingVideo(to: sdp)), to: key)
    case .answer(let key, let sdp):
      guard peers[key]?.connection != nil else { return }
      peers[key]?.isOpen = true
      peers[key]?.section = BundledSection(answer: sdp)
      say(.answer(sdp: sdp), to: key)
    case .candidate(let key, let candidate):
      // XirSys' apps have no word for the end of candidates.
      guard let section = peers[key]?.section, !candidate.candidate.isEmpty else { return }
      say(.candidate(section.placed(candidate)), to: key)
    case .lost(let key): lose(key, at: now)
    case .leave:
      for key in peers.keys.sorted(by: { $0.description < $1.description }) { say(.bye, to: key) }
      visit.end(.left)
    case .say: break
    }
  }

  private mutating func take(_ news: XirSysNews, at now: MonotonicTime) throws(GuestFault) {
    switch news {
    case .peers(let names): present(names, at: now)
    case .connected(let name): connected(name)
    case .removed(let name): removed(GuestKey(name))
    case .message(let message, let sender): received(message, from: sender, at: now)
    case .complaint(let sentence):
      throw GuestFault(
        sentence == XirSysListener.invalidToken ? .refused : .lost, "the server ends the visit: \(sentence)")
    case .nothing: break
    }
  }

  // MARK: Presence

  /// The list comes when the bot has, and perhaps again.
  private mutating func present(_ names: [String], at now: MonotonicTime) {
    if !isJoined {
      isJoined = true
      visit.append(.joined)
    }
    let there = Set(names.map { GuestKey($0) })
    for key in peers.keys.sorted(by: { $0.description < $1.description }) where !there.contains(key) { removed(key) }
    for name in names {
      let key = GuestKey(name)
      peers[key]?.isAbsent = false
      // They have seen the bot come, and offer.
      if add(key, name) { visit.guests.asked(key, at: now) }
    }
  }

  private mutating func connected(_ name: String) {
    let key = GuestKey(name)
    if add(key, name) { return visit.append(.invited(key, name: name)) }
    guard let peer = peers[key] else { return }
    peers[key]?.isAbsent = false
    // A connection that stands goes on; somebody without one has come again, and waits for an offer.
    guard peer.connection == nil else { return }
    visit.guests.met(key)
    visit.append(.invited(key, name: name))
  }

  private mutating func removed(_ key: GuestKey) {
    guard let peer = peers[key] else { return }
    if peer.isOpen { peers[key]?.isAbsent = true } else { gone(key) }
  }

  private mutating func add(_ key: GuestKey, _ name: String) -> Bool {
    guard name != speaker.name, visit.guests.add(key, name: name) else { return false }
    peers[key] = Peer(vocabulary: vocabulary)
    return true
  }

  private mutating func gone(_ key: GuestKey) {
    guard peers.removeValue(forKey: key)?.hasHungUp == true else { return visit.left(key) }
    _ = visit.guests.remove(key)
  }

  /// The user has ended the connection. Most leave then; one who is still in the list after a while is offered another
  /// one, so that nobody is there unheard.
  private mutating func hangUp(_ key: GuestKey, at now: MonotonicTime) {
    guard let peer = peers[key], !peer.isAbsent, visit.guests.lose(key, at: now) else { return gone(key) }
    peers[key]?.connection = nil
    peers[key]?.isOpen = false
    peers[key]?.section = nil
    peers[key]?.lost = nil
    peers[key]?.hasHungUp = true
    visit.append(.left(key))
  }

  // MARK: Connections

  private mutating func received(_ message: XirSysMessage, from name: String, at now: MonotonicTime) {
    let key = GuestKey(name)
    if case .offer = message.content { _ = add(key, name) }
    guard peers[key] != nil else { return }
    if let words = message.original?.vocabulary, message.content != .other { peers[key]?.vocabulary = words }
    switch message.content {
    case .offer(let sdp): offered(sdp, message.connection ?? "", by: key)
    case .answer(let sdp):
      guard isCurrent(message, of: key), peers[key]?.isOpen == false else { return }
      visit.guests.answered(key)
      peers[key]?.isOpen = true
      peers[key]?.audio = AudioOnlyDescription.AudioPlace(in: sdp)
      visit.append(.answered(key, sdp: AudioOnlyDescription.audioOnly(sdp)))
    case .candidate(let candidate):
      guard let peer = peers[key], isCurrent(message, of: key),
        AudioOnlyDescription.isOfAudio(candidate, in: peer.audio)
      else { return }
      visit.append(.candidate(key, CandidateMessage(candidate: candidate.candidate)))
    case .bye:
      if let lost = peers[key]?.lost, peers[key]?.connection == nil, (message.connection ?? lost) == lost {
        peers[key]?.lost = nil
        peers[key]?.hasHungUp = true
        return visit.append(.left(key))
      }
      guard isCurrent(message, of: key) else { return }
      // Before both descriptions are there it is a refusal.
      if peers[key]?.isOpen == true { hangUp(key, at: now) } else { lose(key, at: now) }
    case .other: break
    }
  }

  private mutating func offered(_ sdp: String, _ connection: String, by key: GuestKey) {
    guard var peer = peers[key], let guest = visit.guests[key] else { return }
    let isRenewed = peer.isOpen && peer.connection == connection
    peer.audio = AudioOnlyDescription.AudioPlace(in: sdp)
    if !isRenewed {
      // Their connection takes the place of a former one, and of an offer of ours that crosses it.
      peer.connection = connection
      peer.isOpen = false
      peer.hasHungUp = false
      peer.section = nil
      visit.guests.met(key)
    }
    peers[key] = peer
    visit.append(isRenewed ? .reoffered(key, sdp: sdp) : .offered(key, name: guest.name, sdp: sdp))
  }

  /// False for what is about a connection that is over.
  private func isCurrent(_ message: XirSysMessage, of key: GuestKey) -> Bool {
    guard let connection = peers[key]?.connection else { return false }
    return message.connection == nil || message.connection == connection
  }

  package mutating func lose(_ key: GuestKey, at now: MonotonicTime) {
    guard let peer = peers[key], visit.guests.lose(key, at: now) else { return }
    say(.bye, to: key)
    peers[key]?.connection = nil
    peers[key]?.lost = peer.isOpen ? peer.connection : nil
    peers[key]?.isOpen = false
    peers[key]?.section = nil
    if peer.isAbsent { gone(key) } else { visit.append(.lost(key)) }
  }

  /// Says something about the present connection with somebody; nothing if there is none.
  private mutating func say(_ content: XirSysMessage.Content, to key: GuestKey) {
    guard let peer = peers[key], let connection = peer.connection else { return }
    let message = XirSysMessage(content, connection: connection.isEmpty ? nil : connection)
    visit.append(.send(speaker.text(message, to: key.description, in: peer.vocabulary)))
  }
}
