import Logging
import Machines
import Music
import Realtime
import Signaling

/// The individual steps of offer, answer and candidates.
extension RoomActor {
  /// How long an answer waits for server-reflexive and relayed candidates; later ones are trickled.
  private static let gatheringPatience = MonotonicTime.Span.milliseconds(500)

  func parse(_ text: String) throws(RoomRefusal) -> SessionDescription {
    do throws(SDPError) {
      return try SessionDescription(parsing: text)
    } catch {
      throw RoomRefusal(.invalidDescription, "\(error)")
    }
  }

  func localTransport(of agent: PathAgent) -> LocalTransport? {
    guard let credentials = agent.localCredentials else { return nil }
    return LocalTransport(
      credentials: credentials, fingerprint: services.certificate.fingerprint, candidates: agent.localCandidates,
      candidatesAreComplete: agent.isGathered)
  }

  /// Waits until the agent has all its candidates, but no longer than an answer may wait.
  func gathered(_ agent: PathAgent) async {
    guard !agent.isGathered else { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      var timer: Ticker?
      let finish = {
        timer?.stop()
        timer = nil
        waiting?.resume()
        waiting = nil
        agent.onGathered = {}
      }
      agent.onGathered = finish
      timer = Ticker(loop: loop, interval: RoomActor.gatheringPatience) { _ in finish() }
    }
  }

  /// Passes the peer's parameters to the agent.
  func apply(_ negotiated: NegotiatedSession, to agent: PathAgent, early: [CandidateMessage]) {
    agent.setRemote(negotiated.remoteCredentials)
    for candidate in negotiated.remoteCandidates { agent.addRemote(candidate: candidate) }
    if negotiated.remoteCandidatesComplete { agent.endOfRemoteCandidates() }
    for message in early { apply(message, to: agent) }
  }

  func apply(_ message: CandidateMessage, to agent: PathAgent) {
    if message.candidate.isEmpty {
      agent.endOfRemoteCandidates()
    } else {
      agent.addRemote(candidate: message.candidate)
    }
  }

  /// Counts the candidates that the agent refuses; the client needs not know (RFC 8838), the operator may.
  func observeRefusals(of agent: PathAgent, by member: Member) {
    var isFirst = true
    let participant = member.participant.id
    agent.onRefusal = { [services, logger] objection in
      services.candidates.count(objection)
      guard isFirst else { return }
      isFirst = false
      logger.debug(
        "a candidate is not checked; see --ice-peers",
        metadata: ["participant": "\(participant)", "reason": "\(objection.rawValue)"])
    }
  }
}
