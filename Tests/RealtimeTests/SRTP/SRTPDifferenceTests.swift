import TestSupport
import Testing

@testable import Realtime

/// Our SRTP and Debian's libsrtp get the same packets: both must write the same bytes, and say the same of what comes.
@Suite struct SRTPDifferenceTests {
  /// One direction of a connection, with both at both ends.
  private struct Direction {
    let ours: (sender: SRTPContext, receiver: SRTPContext)
    let theirs: (sender: LibSRTP, receiver: LibSRTP)

    init(_ profile: SRTPProfile, from sender: SRTPContext, to receiver: SRTPContext, key: [UInt8]) throws {
      ours = (sender, receiver)
      theirs = (
        try LibSRTP(profile, keyAndSalt: key, sends: true), try LibSRTP(profile, keyAndSalt: key, sends: false)
      )
    }
  }

  /// How often each thing happened: a walk in which a thing does not happen says nothing about it.
  private struct Counts {
    var taken = 0
    var refused: [LibSRTP.Reason: Int] = [:]
    var differences: [String] = []

    mutating func compare(_ ours: LibSRTP.Verdict, _ theirs: LibSRTP.Verdict, _ packet: [UInt8]) {
      switch ours {
      case .bytes: taken += 1
      case .refused(let reason): refused[reason, default: 0] += 1
      }
      // We look at lengths first, libsrtp at the number of a packet that was cut off.
      if case (.refused(.malformed), .refused) = (ours, theirs) { return }
      if ours != theirs { differences.append("\(packet): \(ours), \(theirs)") }
    }
  }

  @Test(arguments: SRTPProfile.allCases, [1, 2, 3, 4] as [UInt64])
  func bothSayTheSame(profile: SRTPProfile, seed: UInt64) throws {
    let length = profile.keyLength + profile.saltLength
    let keys = [UInt8(1), 2].map { first in (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) &+ first } }
    let left = try SRTPContext(keys: SRTPPair.pair(profile, sending: keys[0], receiving: keys[1]))
    let right = try SRTPContext(keys: SRTPPair.pair(profile, sending: keys[1], receiving: keys[0]))
    let directions = [
      try Direction(profile, from: left, to: right, key: keys[0]),
      try Direction(profile, from: right, to: left, key: keys[1]),
    ]
    var walks = [PacketWalk(seed: seed), PacketWalk(seed: seed + 100)]
    var (sending, receiving) = (Counts(), Counts())
    for step in 0..<6_000 {
      let (place, isReport) = (step % 2, step % 8 < 2)
      let direction = directions[place]
      let packet = isReport ? walks[place].rtcp() : walks[place].rtp()
      let protect: LibSRTP.Operation = isReport ? .protectRTCP : .protectRTP
      let sent = direction.theirs.sender.verdict(protect, packet)
      sending.compare(direction.ours.sender.verdict(protect, packet), sent, packet)
      guard case .bytes(let datagram) = sent else { continue }
      let unprotect: LibSRTP.Operation = isReport ? .unprotectRTCP : .unprotectRTP
      for arrival in walks[place].arrivals(of: datagram, isReport: isReport) {
        receiving.compare(
          direction.ours.receiver.verdict(unprotect, arrival), direction.theirs.receiver.verdict(unprotect, arrival),
          arrival)
      }
    }
    #expect(sending.differences.isEmpty, "\(sending.differences.prefix(3))")
    #expect(receiving.differences.isEmpty, "\(receiving.differences.prefix(3))")
    #expect(sending.taken > 5_000)
    #expect(sending.refused.keys.sorted() == [.malformed, .tooOld], "\(sending.refused)")
    #expect(receiving.taken > 4_000)
    #expect(
      receiving.refused.keys.sorted()
        == [.malformed, .notAuthentic, .replayed, .tooOld] + (profile == .aes128CMSHA180 ? [.unencrypted] : []),
      "\(receiving.refused)")
  }
}
