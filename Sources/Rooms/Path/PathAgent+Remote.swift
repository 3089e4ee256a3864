import CNice
import Realtime

/// The other side's credentials and candidates.
extension PathAgent {
  func setRemote(_ credentials: NegotiatedSession.ICECredentials) {
    remoteCredentials = credentials
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

  /// Checks all pairs anew, with the same credentials on both sides: the peer notices nothing.
  ///
  /// libnice gives a path up 10 s after the peer's last answer, also where these were a standstill of our own, and makes
  /// no use of another pair that the peer goes on with. RFC 7675 section 5.1 lets consent last for 30 s.
  func recheck() {
    guard let local = localCredentials, let remote = remoteCredentials else { return }
    let candidates = nice_agent_get_remote_candidates(agent, stream, PathAgent.component)
    defer { g_slist_free_full(candidates) { nice_candidate_free($0?.assumingMemoryBound(to: NiceCandidate.self)) } }
    nice_agent_restart_stream(agent, stream)
    nice_agent_set_local_credentials(agent, stream, local.usernameFragment, local.password)
    nice_agent_set_remote_credentials(agent, stream, remote.usernameFragment, remote.password)
    nice_agent_set_remote_candidates(agent, stream, PathAgent.component, candidates)
    context.refresh()
  }

  func endOfRemoteCandidates() {
    nice_agent_peer_candidate_gathering_done(agent, stream)
    context.refresh()
  }
}
