import Machines
import Recording

/// What the journal's promises cost: checksums of all frames, and a sync every 100 ms.
struct JournalTrial {
  let folder: String

  /// Syncs that are measured: two minutes of a take.
  private static let syncs = 1_200
  /// Packets of three musicians in 100 ms.
  private static let packets = 15

  func run() throws {
    try ScratchTake.with(folder) { folder, take, zero in
      let journal = try JournalFile(creatingIn: folder)
      var writer = JournalWriter(header: JournalHeader(take: take.take, zero: zero, software: "jamjar fidelity"))
      try journal.append(writer.take())
      try journal.reserve(64 << 20)
      let packet = MediaHead.bytes(1) + [UInt8](repeating: 0x5A, count: 332)
      var (encoding, writing, syncing) = (0.0, 0.0, 0.0)
      var waiting = Distribution()
      for index in 0..<JournalTrial.syncs {
        var watch = Stopwatch(.thread)
        for place in 0..<JournalTrial.packets {
          let arrival = zero + .microseconds(Int64(index) * 100_000 + Int64(place) * 6_000)
          writer.append(rtp: packet, track: place % 3 + 1, arrival: arrival)
        }
        let bytes = writer.take()
        encoding += watch.elapsed
        watch = Stopwatch(.thread)
        try journal.append(bytes)
        writing += watch.elapsed
        let wall = Stopwatch(.wall)
        watch = Stopwatch(.thread)
        try journal.sync()
        syncing += watch.elapsed
        waiting.add(wall.elapsed * 1_000)
      }
      let count = Double(JournalTrial.syncs * JournalTrial.packets)
      var figure = Figure("journal")
      figure.add("encodeWithCRC32CUsPerPacket", encoding * 1e6 / count)
      figure.add(
        "crc32cUsPerPacket",
        Stopwatch.microseconds(per: 10_000) {
          for _ in 0..<10_000 { _ = CRC32C.of(packet) }
        })
      figure.add("writeUsPerPacket", writing * 1e6 / count)
      figure.add("fdatasyncCPUUsPerPacket", syncing * 1e6 / count)
      figure.add("fdatasyncCPUUs", syncing * 1e6 / Double(JournalTrial.syncs))
      figure.add("fdatasyncWaitMs", waiting)
      figure.tell()
    }
  }
}
