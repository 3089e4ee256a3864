/// The packets that came and are not decoded yet, in the order of their sequence numbers.
struct PacketStore: Sendable {
  /// What became of a packet.
  enum Outcome: Hashable, Sendable {
    case stored
    /// It is there already, or a redundant copy gave way to the real one.
    case duplicate
    /// More wait than any sender of ours can have sent within the window.
    case refused
  }

  /// Twenty seconds of the shortest packets (2.5 ms): what a recorder that stood still finds when it goes on.
  private static let capacity = 8_192

  private var packets: [StoredPacket] = []
  private var head = 0

  var isEmpty: Bool { head == packets.count }
  var count: Int { packets.count - head }
  /// The waiting packet with the lowest sequence number.
  var first: StoredPacket? { isEmpty ? nil : packets[head] }
  var last: StoredPacket? { isEmpty ? nil : packets[packets.count - 1] }
  /// All waiting packets in order.
  var waiting: ArraySlice<StoredPacket> { packets[head...] }

  mutating func insert(_ packet: StoredPacket) -> Outcome {
    // Nearly every packet comes behind all others.
    var index = packets.count
    while index > head, packets[index - 1].sequence > packet.sequence { index -= 1 }
    if index > head, packets[index - 1].sequence == packet.sequence {
      if packets[index - 1].isRedundant, !packet.isRedundant { packets[index - 1] = packet }
      return .duplicate
    }
    guard count < PacketStore.capacity else { return .refused }
    packets.insert(packet, at: index)
    return .stored
  }

  mutating func removeFirst() {
    guard !isEmpty else { return }
    head += 1
    if head > 256, head * 2 > packets.count {
      packets.removeFirst(head)
      head = 0
    }
  }

  /// Moves all packets from `sequence` on by so many samples.
  mutating func delay(from sequence: Int64, by samples: Int64) {
    for index in packets[head...].indices where packets[index].sequence >= sequence {
      packets[index].timestamp += samples
    }
  }

  /// Takes out all packets from `sequence` on.
  mutating func split(from sequence: Int64) -> [StoredPacket] {
    let index = packets[head...].firstIndex { $0.sequence >= sequence } ?? packets.count
    let tail = Array(packets[index...])
    packets.removeSubrange(index...)
    return tail
  }
}

/// An Opus packet that waits for its turn.
struct StoredPacket: Sendable {
  /// Extended sequence number.
  var sequence: Int64
  /// RTP time in samples from the stream's first packet.
  var timestamp: Int64
  /// The Opus bytes; empty for padding, which only fills its sequence number.
  var payload: ArraySlice<UInt8>
  /// What its head says, nil for padding and for what is no Opus.
  var opus: OpusPacket?
  /// True when it came by a later packet's redundancy and not by itself.
  var isRedundant: Bool

  /// Samples that it decodes to.
  var duration: Int64 { Int64(opus?.duration ?? 0) }
}
