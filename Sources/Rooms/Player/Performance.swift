import Machines
import Realtime

/// Something to play: Opus packets of one length, one after the other.
package struct Performance: Sendable {
  package var packets: [[UInt8]]
  /// Samples of each packet at 48 kHz.
  package var packetLength: Int
  /// Whether it begins again at its end.
  package var repeats: Bool

  package init(packets: [[UInt8]], packetLength: Int, repeats: Bool = false) {
    self.packets = packets
    self.packetLength = packetLength
    self.repeats = repeats
  }
}
