import Machines

/// Keeps an input without encryption to one sender.
///
/// Plain RTP proves nothing about who sent it. The first *run* of packets decides, not the first packet: three in a row
/// from one address, with one SSRC, whose RTP times rise with their numbers (RFC 3550 appendix A.1 asks for two). What
/// others send from then on is dropped and counted. The place is free again when its holder says goodbye or falls silent,
/// because encoders are started anew.
package struct SourceLatch: Sendable {
  /// Where a datagram came from. An IPv4 address stands in the lower half of `host`.
  package struct Sender: Hashable, Sendable {
    package var host: UInt128
    package var port: UInt16

    package init(host: UInt128, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  /// Somebody whose packets may become a run, and those packets.
  fileprivate struct Candidate {
    var sender: Sender
    var source: UInt32
    var sequence: UInt16
    var timestamp: UInt32
    var run = 1
    var held: [HeldDatagram]
  }

  /// Packets of a run.
  private static let credibleRun = 3
  /// Packets that may be lost between two of a run.
  fileprivate static let greatestSkip: UInt16 = 16
  /// Samples that one packet can be: 120 ms at 48 kHz (RFC 6716 section 3.2.5).
  fileprivate static let longestPacket: UInt32 = 5_760
  /// Candidates at a time, and packets that are kept of one: two seconds, in which a former holder may still come back.
  private static let greatestCandidates = 4
  private static let greatestHeld = 128
  /// A holder that was silent for so long gives its place to another address, and to another port of its own machine,
  /// from which an encoder comes that was started anew.
  private static let silence = MonotonicTime.Span.seconds(5)
  private static let silenceOfTheSameHost = MonotonicTime.Span.milliseconds(500)

  private let onlySource: UInt32?
  private var holder: (sender: Sender, source: UInt32, lastHeard: MonotonicTime)?
  private var candidates: [Candidate] = []
  /// Datagrams that were dropped because they came from somebody else, or from nobody credible.
  package private(set) var dropped = 0

  /// - Parameter onlySource: the SSRC that was agreed on; nil takes any.
  package init(onlySource: UInt32? = nil) {
    self.onlySource = onlySource
  }

  /// Looks at a datagram. Nil where it is not to be taken now; else what was held of its sender until this showed that it
  /// is the one, and comes first.
  package mutating func admit(
    _ datagram: UnsafeRawBufferPointer, from sender: Sender, at now: MonotonicTime
  ) -> [HeldDatagram]? {
    switch DatagramKind(datagram) {
    case .rtp:
      if holder?.sender == sender {
        holder?.lastHeard = now
        return []
      }
      return audition(datagram, from: sender, at: now)
    case .rtcp:
      // Reports may leave another socket of the same machine: ffmpeg and GStreamer do that.
      guard let holder, holder.sender.host == sender.host else {
        dropped &+= 1
        return nil
      }
      if saysGoodbye(datagram, for: holder.source) { self.holder = nil }
      return []
    case .dtls, .other:
      dropped &+= 1
      return nil
    }
  }

  private mutating func audition(
    _ datagram: UnsafeRawBufferPointer, from sender: Sender, at now: MonotonicTime
  ) -> [HeldDatagram]? {
    guard let header = (try? RTPPacket(parsing: [UInt8](datagram)))?.header,
      header.ssrc == onlySource ?? header.ssrc
    else {
      dropped &+= 1
      return nil
    }
    let held = HeldDatagram(bytes: [UInt8](datagram), arrival: now)
    guard
      let index = candidates.firstIndex(where: { $0.sender == sender && $0.source == header.ssrc }),
      candidates[index].follows(header) || candidates[index].overtook(header)
    else {
      candidates.removeAll { $0.sender == sender && $0.source == header.ssrc }
      if candidates.count == SourceLatch.greatestCandidates { drop(at: 0) }
      candidates.append(
        Candidate(
          sender: sender, source: header.ssrc, sequence: header.sequenceNumber, timestamp: header.timestamp,
          held: [held]))
      return nil
    }
    // What was overtaken on its way, or comes twice, is of the run and makes it no longer.
    let follows = candidates[index].follows(header)
    if follows { candidates[index].note(header) }
    guard follows, candidates[index].run >= SourceLatch.credibleRun, isFree(for: sender, at: now) else {
      candidates[index].held.append(held)
      if candidates[index].held.count > SourceLatch.greatestHeld {
        candidates[index].held.removeFirst()
        dropped &+= 1
      }
      return nil
    }
    let earlier = candidates.remove(at: index).held
    while !candidates.isEmpty { drop(at: 0) }
    holder = (sender, header.ssrc, now)
    return earlier
  }

  private mutating func drop(at index: Int) {
    dropped &+= candidates.remove(at: index).held.count
  }

  private func isFree(for sender: Sender, at now: MonotonicTime) -> Bool {
    guard let holder else { return true }
    let silence = holder.sender.host == sender.host ? SourceLatch.silenceOfTheSameHost : SourceLatch.silence
    return now - holder.lastHeard >= silence
  }

  private func saysGoodbye(_ datagram: UnsafeRawBufferPointer, for source: UInt32) -> Bool {
    guard let packets = try? RTCPCompound.parse([UInt8](datagram)) else { return false }
    return packets.contains {
      if case .goodbye(let goodbye) = $0 { goodbye.sources.contains(source) } else { false }
    }
  }
}

extension SourceLatch.Candidate {
  /// True where a packet comes behind those before it as an encoder sends them.
  fileprivate func follows(_ header: RTPHeader) -> Bool {
    let step = header.sequenceNumber &- sequence
    let elapsed = header.timestamp &- timestamp
    return (1...SourceLatch.greatestSkip).contains(step) && elapsed > 0
      && elapsed <= UInt32(step) * SourceLatch.longestPacket
  }

  /// True where a packet is one of before, or was to come before one that came.
  fileprivate func overtook(_ header: RTPHeader) -> Bool {
    let step = sequence &- header.sequenceNumber
    let elapsed = timestamp &- header.timestamp
    return step <= SourceLatch.greatestSkip && elapsed <= UInt32(step) * SourceLatch.longestPacket
  }

  fileprivate mutating func note(_ header: RTPHeader) {
    (sequence, timestamp) = (header.sequenceNumber, header.timestamp)
    run += 1
  }
}

/// A datagram that waits for its time.
package struct HeldDatagram: Sendable {
  package var bytes: [UInt8]
  package var arrival: MonotonicTime
}

/// What a datagram on a peer's path is, told by its first two bytes (RFC 7983 §7, RFC 5761 §4).
enum DatagramKind: Hashable {
  case dtls, rtp, rtcp
  /// STUN ends in the ICE agent, TURN channels and ZRTP are not ours; and what is too short to be anything.
  case other

  init(_ datagram: UnsafeRawBufferPointer) {
    guard let first = datagram.first else {
      self = .other
      return
    }
    switch first {
    case 20...63: self = .dtls
    case 128...191:
      // RFC 5761 §4: RTCP packet types lie where RTP has payload types 64...95 with the marker bit.
      guard datagram.count >= 2 else { self = .other; return }
      self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    default: self = .other
    }
  }
}
