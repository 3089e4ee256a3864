/// Packets received but not yet decoded, sorted by sequence number.
struct PacketStore: Sendable, Codable {
  /// The result of adding a packet.
  enum Outcome: Hashable, Sendable {
    case stored
    /// A packet with this number is already present; a real packet replaces a redundant copy.
    case duplicate
    /// The store holds more packets than a legitimate sender can have sent within the window.
    case refused
  }

  /// Twenty seconds of the shortest packets (2.5 ms): the backlog of a recorder that stalled and resumes.
  private static let capacity = 8_192

  private var packets: [StoredPacket] = []
  private var head = 0
  /// One past the last of those packets from the first on that follow each other without a hole.
  private var joined = 0

  var isEmpty: Bool { head == packets.count }
  var count: Int { packets.count - head }
  /// The waiting packet with the lowest sequence number.
  var first: StoredPacket? { isEmpty ? nil : packets[head] }
  var last: StoredPacket? { isEmpty ? nil : packets[packets.count - 1] }
  /// All waiting packets, in order.
  var waiting: ArraySlice<StoredPacket> { packets[head...] }

  /// One past the last sample before the first hole; nil if the first packet has not come. A copy is a hole, as its packet may
  /// still come.
  var wholeEnd: Int64? { joined > head ? packets[joined - 1].timestamp + packets[joined - 1].duration : nil }

  mutating func insert(_ packet: StoredPacket) -> Outcome {
    // Nearly every packet belongs at the end.
    var index = packets.count
    while index > head, packets[index - 1].sequence > packet.sequence { index -= 1 }
    if index > head, packets[index - 1].sequence == packet.sequence {
      if packets[index - 1].isRedundant, !packet.isRedundant {
        packets[index - 1] = packet
        if index - 1 == joined { join() }
      }
      return .duplicate
    }
    guard count < PacketStore.capacity else { return .refused }
    packets.insert(packet, at: index)
    if index < joined { joined = head }
    if index <= joined { join() }
    return .stored
  }

  mutating func removeFirst() {
    guard !isEmpty else { return }
    head += 1
    if joined < head { joined = head }
    if joined == head { join() }
    if head > 256, head * 2 > packets.count {
      packets.removeFirst(head)
      (head, joined) = (0, joined - head)
    }
  }

  /// Delays all packets from `sequence` on by `samples`.
  mutating func delay(from sequence: Int64, by samples: Int64) {
    for index in packets[head...].indices where packets[index].sequence >= sequence {
      packets[index].timestamp += samples
    }
    joined = head
    join()
  }

  /// Removes and returns all packets from `sequence` on.
  mutating func split(from sequence: Int64) -> [StoredPacket] {
    let index = packets[head...].firstIndex { $0.sequence >= sequence } ?? packets.count
    let tail = Array(packets[index...])
    packets.removeSubrange(index...)
    joined = min(joined, index)
    return tail
  }

  /// Goes on to the next hole.
  private mutating func join() {
    while joined < packets.count, !packets[joined].isRedundant,
      joined == head || packets[joined - 1].isFollowed(by: packets[joined])
    {
      joined += 1
    }
  }
}

/// An Opus packet waiting to be decoded.
struct StoredPacket: Sendable, Codable {
  /// Extended sequence number.
  var sequence: Int64
  /// RTP time in samples from the stream's first packet.
  var timestamp: Int64
  /// The Opus bytes; empty for padding, which only fills its sequence number.
  @PackedBytes var payload: ArraySlice<UInt8>
  /// Its parsed header; nil for padding and for data that is not Opus.
  var opus: OpusPacket?
  /// True if only a redundant copy has arrived.
  var isRedundant: Bool

  /// Decoded length in samples.
  var duration: Int64 { Int64(opus?.duration ?? 0) }

  func isFollowed(by next: StoredPacket) -> Bool {
    next.sequence == sequence + 1 && next.timestamp == timestamp + duration
  }
}
