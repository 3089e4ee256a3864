import Machines
import Music
import Recording
import Signaling

/// What each musician's connection is like: every three seconds for the room and for the takes.
extension RoomActor {
  /// Called at every tick, beside the packets' path.
  func measureQuality(at now: MonotonicTime) {
    for member in members {
      guard let publication = member.publication, publication.hasAudio, publication.quality.isDue(at: now),
        // A pushed file plays on a clock of its own.
        !publication.isAhead(of: now)
      else { continue }
      let reading = publication.quality.advance(
        to: now, publication.peer.statistics, hasJitter: publication.feed == nil, heard: member.health)
      guard let reading else { continue }
      member.health = nil
      member.quality = reading
      for (capture, track) in publication.captures {
        guard let part = publication.quality.part(of: reading, in: capture.take) else { continue }
        capture.append(.quality(track: track, at: now, part))
      }
      tell(.quality(member.participant.id, reading))
    }
  }

  /// Writes down what has been measured since the last reading, because a publication or a take ends.
  func noteQuality(
    of publication: Publication, by member: Member, at now: MonotonicTime, in isMeant: (Capture) -> Bool = { _ in true }
  ) {
    guard publication.stem == nil, publication.hasAudio, !publication.captures.isEmpty, !publication.isAhead(of: now)
    else { return }
    let statistics = publication.peer.statistics
    for (capture, track) in publication.captures where isMeant(capture) {
      let reading = publication.quality.rest(
        of: capture.take, statistics, hasJitter: publication.feed == nil, heard: member.health, at: now)
      if let reading { capture.append(.quality(track: track, at: now, reading)) }
    }
  }
}
