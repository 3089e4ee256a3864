import Machines
import Music
import Realtime
import Recording
import Signaling

/// Statistics of one track in a journal.
struct TrackInspection {
  /// The sequence numbers of one sender.
  private struct Sequence {
    var extender = SequenceExtender()
    var seen: Set<Int64> = []
  }

  let number: Int
  private(set) var opened: JournalTrack?
  /// The latest name.
  private(set) var name: String?
  private(set) var packets = 0
  private var bytes: Int64 = 0
  private var controlPackets = 0
  private var unreadable = 0
  private var streamChanges = 0
  private var isClosed = false
  private var times: ClosedRange<MonotonicTime>?
  private var sequences: [UInt32: Sequence] = [:]

  init(number: Int) {
    self.number = number
  }

  mutating func take(_ frame: JournalFrame) {
    switch frame {
    case .trackOpened(_, let track, _):
      opened = track
      name = track.participant.name.description
    case .renamed(_, _, let name): self.name = name.description
    case .streamChanged: streamChanges += 1
    case .trackClosed: isClosed = true
    case .rtcp: controlPackets += 1
    case .rtp(_, let arrival, let packet): take(packet, at: arrival)
    default: break
    }
  }

  private mutating func take(_ packet: [UInt8], at arrival: MonotonicTime) {
    packets += 1
    bytes += Int64(packet.count)
    // Arrivals may lie in any order in a damaged or foreign journal.
    times = times.map { min($0.lowerBound, arrival)...max($0.upperBound, arrival) } ?? arrival...arrival
    guard let place = PacketReading(packet).place else {
      unreadable += 1
      return
    }
    // In place: a copy of the set for every packet would make an hour take most of a minute.
    let number = sequences[place.ssrc, default: Sequence()].extender.extend(place.sequenceNumber)
    sequences[place.ssrc, default: Sequence()].seen.insert(number)
  }

  /// Duplicate packets: retransmissions of packets that had arrived after all.
  private var repeated: Int { packets - unreadable - sequences.values.reduce(0) { $0 + $1.seen.count } }

  /// Sequence numbers between a sender's first and last that are not in the journal.
  var missing: Int64 {
    sequences.values.reduce(0) { sum, sequence in
      guard let first = sequence.seen.min(), let last = sequence.seen.max() else { return sum }
      return sum + (last - first + 1) - Int64(sequence.seen.count)
    }
  }

  /// Seconds from the first packet to the last.
  private var seconds: Double? {
    guard let times else { return nil }
    let seconds = (times.upperBound - times.lowerBound).seconds
    return seconds > 0 ? seconds : nil
  }

  var packetRate: Double? { seconds.map { (Double(packets - 1) / $0).rounded(toDigits: 2) } }
  /// In kbit/s, RTP headers included.
  var bitRate: Double? { seconds.map { (Double(bytes) * 8 / 1_000 / $0).rounded(toDigits: 1) } }

  func first(from zero: MonotonicTime) -> Double? { times.map { ($0.lowerBound - zero).seconds } }
  func last(from zero: MonotonicTime) -> Double? { times.map { ($0.upperBound - zero).seconds } }

  func json(from zero: MonotonicTime) -> JSONValue {
    func measure(_ value: Double?) -> JSONValue { value.map(JSONValue.measure) ?? .null }
    return [
      "number": .integer(Int64(number)), "id": .optional(opened?.trackID.description),
      "participant": .optional(name), "part": .optional(opened?.part), "origin": .optional(opened?.origin),
      "packets": .integer(Int64(packets)), "bytes": .integer(bytes), "missing": .integer(missing),
      "repeated": .integer(Int64(repeated)), "unreadable": .integer(Int64(unreadable)),
      "controlPackets": .integer(Int64(controlPackets)), "streamChanges": .integer(Int64(streamChanges)),
      "first": measure(first(from: zero)), "last": measure(last(from: zero)), "packetRate": measure(packetRate),
      "bitRate": measure(bitRate), "closed": .bool(isClosed),
    ]
  }
}

extension Double {
  /// The number with this many decimal places.
  func rounded(toDigits digits: Int) -> Double {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
