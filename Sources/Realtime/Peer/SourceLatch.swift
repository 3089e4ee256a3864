import Machines

/// Restricts an unencrypted input to one sender.
///
/// Plain RTP does not authenticate its sender. The latch therefore requires a *run* of packets: three in a row from
/// one address, with one SSRC, whose RTP times rise with their numbers (RFC 3550 appendix A.1 requires two). Packets
/// from others are then dropped and counted. The latch is released when its holder says goodbye and falls silent, or is
/// silent for long, because encoders are restarted. A sender that was heard beside the holder is no restarted encoder,
/// and a holder that comes back after a silence has the latch again at once.
package struct SourceLatch: Sendable {
  /// The origin of a datagram. IPv4 addresses are in the lower half of `host`.
  package struct Sender: Hashable, Sendable {
    package var host: UInt128
    package var port: UInt16

    package init(host: UInt128, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  /// A sender whose packets may become a run, and those packets.
  fileprivate struct Candidate {
    var sender: Sender
    var source: UInt32
    var sequence: UInt16
    var timestamp: UInt32
    var run = 1
    /// When its first packet came.
    var began: MonotonicTime
    var held: [HeldDatagram]
  }

  private struct Holder {
    var sender: Sender
    var source: UInt32
    var lastHeard: MonotonicTime
    /// Nil unless it said goodbye and has sent nothing since.
    var saidGoodbye: MonotonicTime?
  }

  /// Number of packets in a run.
  private static let credibleRun = 3
  /// Maximum number of packets lost between two of a run.
  fileprivate static let greatestSkip: UInt16 = 16
  /// Longest packet in samples: 120 ms at 48 kHz (RFC 6716 section 3.2.5).
  fileprivate static let longestPacket: UInt32 = 5_760
  /// Maximum number of candidates, and of packets kept for each: two seconds, during which a former holder may
  /// return.
  private static let greatestCandidates = 4
  private static let greatestHeld = 128
  /// Maximum number of reports kept of senders without a run: an encoder's first one often comes among its first packets.
  private static let greatestReports = 4
  /// After this silence, a holder yields to another address, or to another port of its own machine, as used by a
  /// restarted encoder.
  private static let silence = MonotonicTime.Span.seconds(5)
  private static let silenceOfTheSameHost = MonotonicTime.Span.milliseconds(500)
  /// The same for a sender that was there beside the holder: longer than a musician's pause.
  private static let silenceForAnother = MonotonicTime.Span.seconds(30)
  /// A restarted encoder may begin so long before the last packet of the former.
  private static let overlap = MonotonicTime.Span.seconds(1)
  /// A goodbye counts if nothing follows it for this long. Anybody on the holder's machine can send one, and the last
  /// packets may come after a true one.
  private static let farewell = MonotonicTime.Span.milliseconds(200)

  private let onlySource: UInt32?
  private var holder: Holder?
  /// The holder before, which fell silent without a goodbye.
  private var former: Holder?
  private var candidates: [Candidate] = []
  /// Reports of hosts that have not proved themselves yet.
  private var reports: [(host: UInt128, held: HeldDatagram)] = []
  /// Datagrams dropped because they came from another sender or an unproven one.
  package private(set) var dropped = 0

  /// - Parameter onlySource: the negotiated SSRC; nil accepts any.
  package init(onlySource: UInt32? = nil) {
    self.onlySource = onlySource
  }

  /// Examines a datagram. Returns nil if it must not be accepted now; otherwise the earlier datagrams held back until
  /// this one proved their sender, which must be processed first.
  package mutating func admit(
    _ datagram: UnsafeRawBufferPointer, from sender: Sender, at now: MonotonicTime
  ) -> [HeldDatagram]? {
    switch DatagramKind(datagram) {
    case .rtp:
      if holder?.sender == sender {
        holder?.lastHeard = now
        if let goodbye = holder?.saidGoodbye, now - goodbye >= SourceLatch.farewell { holder?.saidGoodbye = nil }
        return []
      }
      return audition(datagram, from: sender, at: now)
    case .rtcp:
      // Reports may come from another socket of the same machine, as with ffmpeg and GStreamer.
      guard let holder, holder.sender.host == sender.host else {
        hold(datagram, from: sender, at: now)
        return nil
      }
      if saysGoodbye(datagram, for: holder.source) { self.holder?.saidGoodbye = now }
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
          began: now, held: [held]))
      return nil
    }
    // Reordered and duplicate packets belong to the run but do not lengthen it.
    let follows = candidates[index].follows(header)
    if follows { candidates[index].note(header) }
    guard follows, candidates[index].run >= SourceLatch.credibleRun, isFree(for: candidates[index], at: now)
    else {
      candidates[index].held.append(held)
      if candidates[index].held.count > SourceLatch.greatestHeld {
        candidates[index].held.removeFirst()
        dropped &+= 1
      }
      return nil
    }
    let next = candidates.remove(at: index)
    while !candidates.isEmpty { drop(at: 0) }
    let earlier = next.held.suffix(isBeside(next) ? SourceLatch.credibleRun - 1 : next.held.count)
    dropped &+= next.held.count - earlier.count
    former = isFormer(next) || holder?.saidGoodbye != nil ? nil : holder
    holder = Holder(sender: sender, source: header.ssrc, lastHeard: now)
    return merged(Array(earlier), with: takeReports(of: sender.host))
  }

  /// Keeps a report until its sender has proved itself. A goodbye is of no use then.
  private mutating func hold(_ datagram: UnsafeRawBufferPointer, from sender: Sender, at now: MonotonicTime) {
    let bytes = [UInt8](datagram)
    let packets = (try? RTCPCompound.parse(bytes)) ?? []
    var isReport = false
    for packet in packets {
      switch packet {
      case .senderReport: isReport = true
      case .goodbye:
        dropped &+= 1
        return
      default: break
      }
    }
    guard isReport else {
      dropped &+= 1
      return
    }
    if reports.count == SourceLatch.greatestReports {
      reports.removeFirst()
      dropped &+= 1
    }
    reports.append((sender.host, HeldDatagram(bytes: bytes, arrival: now)))
  }

  private mutating func takeReports(of host: UInt128) -> [HeldDatagram] {
    let own = reports.filter { $0.host == host }
    dropped &+= reports.count - own.count
    reports.removeAll()
    return own.map(\.held)
  }

  /// In the order of arrival; both are.
  private func merged(_ packets: [HeldDatagram], with reports: [HeldDatagram]) -> [HeldDatagram] {
    var rest = reports[...]
    var merged: [HeldDatagram] = []
    for packet in packets {
      while let report = rest.first, report.arrival <= packet.arrival { merged.append(rest.removeFirst()) }
      merged.append(packet)
    }
    return merged + rest
  }

  private mutating func drop(at index: Int) {
    dropped &+= candidates.remove(at: index).held.count
  }

  private func isFree(for candidate: Candidate, at now: MonotonicTime) -> Bool {
    guard let holder, !isFormer(candidate) else { return true }
    if holder.saidGoodbye != nil { return now - holder.lastHeard >= SourceLatch.farewell }
    let silence =
      isBeside(candidate)
      ? SourceLatch.silenceForAnother
      : holder.sender.host == candidate.sender.host ? SourceLatch.silenceOfTheSameHost : SourceLatch.silence
    return now - holder.lastHeard >= silence
  }

  private func isFormer(_ candidate: Candidate) -> Bool {
    candidate.sender == former?.sender && candidate.source == former?.source
  }

  /// True if the candidate was sending while the holder did.
  private func isBeside(_ candidate: Candidate) -> Bool {
    guard let holder, holder.saidGoodbye == nil else { return false }
    return holder.lastHeard - candidate.began > SourceLatch.overlap
  }

  private func saysGoodbye(_ datagram: UnsafeRawBufferPointer, for source: UInt32) -> Bool {
    guard let packets = try? RTCPCompound.parse([UInt8](datagram)) else { return false }
    return packets.contains {
      if case .goodbye(let goodbye) = $0 { goodbye.sources.contains(source) } else { false }
    }
  }
}

extension SourceLatch.Candidate {
  /// True if a packet continues a run as an encoder would.
  fileprivate func follows(_ header: RTPHeader) -> Bool {
    let step = header.sequenceNumber &- sequence
    let elapsed = header.timestamp &- timestamp
    return (1...SourceLatch.greatestSkip).contains(step) && elapsed > 0
      && elapsed <= UInt32(step) * SourceLatch.longestPacket
  }

  /// True if a packet is a duplicate or an overtaken one of the run.
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

/// A datagram held back for later.
package struct HeldDatagram: Sendable {
  package var bytes: [UInt8]
  package var arrival: MonotonicTime
}

/// The kind of a datagram on a peer's path, determined by its first two bytes (RFC 7983 §7, RFC 5761 §4).
enum DatagramKind: Hashable {
  case dtls, rtp, rtcp
  /// STUN (handled by the ICE agent), TURN channels, ZRTP, and anything too short.
  case other

  init(_ datagram: UnsafeRawBufferPointer) {
    guard let first = datagram.first else {
      self = .other
      return
    }
    switch first {
    case 20...63: self = .dtls
    case 128...191:
      // RFC 5761 §4: RTCP packet types coincide with RTP payload types 64...95 with the marker bit.
      guard datagram.count >= 2 else { self = .other; return }
      self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    default: self = .other
    }
  }
}
