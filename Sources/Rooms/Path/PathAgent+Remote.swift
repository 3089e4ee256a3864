import CNice
import Realtime

/// The other side's credentials and candidates.
extension PathAgent {
  func setRemote(_ credentials: NegotiatedSession.ICECredentials) {
    nice_agent_set_remote_credentials(agent, stream, credentials.usernameFragment, credentials.password)
    context.refresh()
  }

  /// Adds a remote candidate if the policy allows it. One that libnice cannot use (an mDNS name, TCP, another
  /// component) is ignored, because the peer's own checks find us anyway.
  /// - Parameter text: the value of `a=candidate`.
  /// - Returns: true if it is being checked.
  @discardableResult
  func addRemote(candidate text: String) -> Bool {
    switch screen.verdict(on: text) {
    case .check(let value): return check(candidate: value)
    case .pass: return false
    case .refuse(let objection):
      onRefusal(objection)
      return false
    }
  }

  private func check(candidate value: String) -> Bool {
    guard let candidate = nice_agent_parse_remote_candidate_sdp(agent, stream, "a=candidate:" + value) else {
      return false
    }
    defer { nice_candidate_free(candidate) }
    guard candidate.pointee.transport == NICE_CANDIDATE_TRANSPORT_UDP else { return false }
    candidate.pointee.component_id = PathAgent.component
    candidate.pointee.stream_id = stream
    let list = g_slist_append(nil, candidate)
    defer { g_slist_free(list) }
    let added = nice_agent_set_remote_candidates(agent, stream, PathAgent.component, list)
    context.refresh()
    return added > 0
  }

  func endOfRemoteCandidates() {
    nice_agent_peer_candidate_gathering_done(agent, stream)
    context.refresh()
  }
}
