import Machines
import Music
import Realtime

/// A packet on its way into the live mix.
struct LiveArrival {
  var source: ParticipantID
  /// In seconds of virtual time.
  var time: Double
  var packet: RTPPacket
  var sequence: Int64
  var timestamp: Int64
  var segment: Int
  var isDuplicate = false

  /// The same packet once more.
  func again(after seconds: Double, isMarked: Bool = false) -> LiveArrival {
    var copy = self
    copy.time += seconds
    copy.isDuplicate = isMarked
    return copy
  }

  var received: ReceivedPacket {
    ReceivedPacket(
      packet: packet, extendedSequence: sequence, extendedTimestamp: timestamp,
      arrival: MonotonicTime(nanoseconds: Int64(time * 1e9)), isDuplicate: isDuplicate, segment: segment)
  }
}
