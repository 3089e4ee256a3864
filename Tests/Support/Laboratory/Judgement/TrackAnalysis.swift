/// Compares every 20 ms of a track with what its musician's microphone heard at that instant.
struct TrackAnalysis {
  let musician: RealMusician
  let score: MusicianScore
  let record: MusicianPlayer.Record
  let journal: TakeOnDisk.Journal
  /// When the scenario began, in nanoseconds of `LaboratoryClock`.
  let begin: Int64

  /// The part of a packet's sound that it alone determines, in samples: an Opus packet gives sound that was captured up
  /// to 312 samples before its own beginning, so its own block's last 312 come with the next packet.
  static let core = 960 - 312
  /// What a decoder needs to run in (RFC 6716 section 4.5), in packets.
  private static let runningIn = 5
  /// What this analysis may be off, in milliseconds.
  private static let exactness = 0.15
  /// A stretch is listed where so much of it lies in a gap.
  private static let listedShare = 0.5
  private static let falseShare = 0.95

  /// What lies so far inside the take is of it for certain, and what lies so far outside is not, in samples.
  private static let edge = 4_800.0
  private static let (vicinity, vicinityBehind) = (48_000.0, 9_600.0)

  func finding(_ track: Certificate.Track, _ search: some BlockSearch, length: Int64) -> TrackFinding {
    var finding = TrackFinding(musician: musician.name)
    finding.bound = track.alignment?.errorBound.flatMap { $0.isFinite ? $0 : nil }
    finding.lost = track.alignment?.lostPackets ?? 0
    finding.expected = track.alignment?.expectedPackets ?? 0
    let journaled = journal.packets[musician.name] ?? []
    let gaps = track.gaps.map { Double($0.start)..<Double($0.start + $0.length) }
    let unseen = track.alignment?.unseenDrops?.map { Double($0.start)..<Double($0.end) } ?? []
    let reports = journal.reports[musician.name] ?? []
    finding.isMeasurable = musician.reports?.answers == true && !reports.isEmpty
    let shown = ReportedBlocks(
      musician: musician, score: score, record: record, journaled: reports, begin: begin, end: journal.end ?? .max)
    finding.unjournaledReports = record.told.count {
      $0.delivered < min(journal.end ?? .max, leave) && !reports.contains($0.wallClock)
    }
    var search = search
    // Packets of the running stream that the decoder has had since it began or was interrupted.
    var heard = 0
    var missing: [Missing] = []
    var source: UInt32?
    let entrance = record.deliveries.firstIndex { !$0.isEmpty } ?? 0
    for (number, block) in score.blocks.enumerated() {
      let place = place(of: block)
      if let packet = block.packet, packet.source != source {
        source = packet.source
        heard = 0
      }
      let isJournaled = block.packet.map { journaled.contains($0.key) } ?? false
      if isJournaled { finding.journaled += 1 }
      if !isJournaled, let delivery = record.deliveries[number].min(), delivery < (journal.end ?? .max),
        place >= 0, place < Double(length)
      {
        finding.unjournaled += 1
        note("delivered and not journaled", place, &finding)
      }
      let isKnown = isJournaled || !record.deliveries[number].isEmpty
      let isInside = place >= 0 && place + max(0, search.lag) + Double(TrackAnalysis.core) <= Double(length)
      let state = isInside ? search.look(for: block, at: place, isKnown: isKnown) : .beyond
      let core = (place + search.lag)..<(place + search.lag + Double(TrackAnalysis.core))
      let listed = share(of: core, in: gaps)
      switch state {
      case .found(let lag):
        heard += 1
        judge(&missing, lagBehind: lag, &finding)
        let error = abs(lag) / 48
        finding.errors.append(error)
        if let bound = track.alignment?.bound(at: place + lag), error > bound + TrackAnalysis.exactness {
          finding.beyondBound += 1
          note("off by \(Int(lag / 48)) ms", place, &finding)
        }
        if shown.contains(number), share(of: core, in: unseen) > TrackAnalysis.falseShare {
          finding.hidden += 1
          note("called unseen though reported", place, &finding)
        }
        if listed > TrackAnalysis.falseShare {
          finding.wronglyListed += 1
          note("listed and there", place, &finding)
        }
      case .missing:
        let isRunningIn =
          isJournaled && heard < TrackAnalysis.runningIn && search.isLoud(block, at: place)
        if isJournaled { heard += 1 }
        // What came before the first packet that was delivered nobody can miss.
        if isRunningIn || number < entrance { continue }
        if isJournaled {
          finding.missing += 1
          note("journaled and missing", place, &finding)
        }
        // What the sender left out may also lie where the certificate says that it would not show.
        missing.append(Missing(place: place, lag: search.lag, excuses: block.packet == nil ? gaps + unseen : gaps))
      case .beyond: break
      }
    }
    judge(&missing, lagBehind: search.lag, &finding)
    count(&finding, length: length)
    return finding
  }

  /// A block that is not in the file.
  private struct Missing {
    var place: Double
    /// By how much the sound before it lies too late, in samples.
    var lag: Double
    /// The stretches one of which has to name it.
    var excuses: [Range<Double>]
  }

  /// Counts those of `missing` that nothing names. A hole lies between the sound before it and the sound behind it, and
  /// each of them may be off by as much as the certificate says.
  private func judge(_ missing: inout [Missing], lagBehind: Double, _ finding: inout TrackFinding) {
    for block in missing {
      let named = [block.lag, lagBehind].map { lag in
        let begin = block.place + lag
        return share(of: begin..<begin + Double(TrackAnalysis.core), in: block.excuses)
      }
      guard named.allSatisfy({ $0 < TrackAnalysis.listedShare }) else { continue }
      finding.unlisted += 1
      note("missing and not listed", block.place, &finding)
    }
    missing.removeAll()
  }

  /// Counts what the path did with the packets of each stream, from the first that it delivered to the last: what is
  /// before and behind them nobody can miss. At least those count whose sound lies well inside the take, at most also
  /// those of its edges and those that came after its end.
  private func count(_ finding: inout TrackFinding, length: Int64) {
    let streams = Dictionary(grouping: score.blocks.indices.filter { score.blocks[$0].packet != nil }) {
      score.blocks[$0].packet?.source ?? 0
    }
    let stop = journal.end ?? .max
    // What ends behind the take's end by a place that the certificate calls unknown is not expected in it.
    let away = finding.bound == nil ? (finding.errors.max() ?? 0) * 48 : 0
    var (sent, undelivered) = (Counts(least: 0, most: 0), Counts(least: 0, most: 0))
    for numbers in streams.values {
      let delivered = numbers.filter { !record.deliveries[$0].isEmpty }
      guard let first = delivered.first, let last = delivered.last else { continue }
      for (position, number) in numbers.enumerated() where number >= first && number <= last {
        let next = position + 1 < numbers.count ? numbers[position + 1] : nil
        // The next packet's copy of it counts as its delivery.
        let repeated = next.flatMap { next in
          score.blocks[next].packet?.repeatsPrevious ?? false ? record.deliveries[next].min() : nil
        }
        let earliest = [record.deliveries[number].min(), repeated].compactMap { $0 }.min()
        let place = place(of: score.blocks[number])
        let isInside =
          place >= TrackAnalysis.edge + away && place < Double(length) - TrackAnalysis.edge - away
        let isNear = place > -TrackAnalysis.vicinity && place < Double(length) + TrackAnalysis.vicinityBehind
        sent.add(least: isInside, most: isNear)
        undelivered.add(least: earliest == nil && isInside, most: (earliest ?? .max) > stop && isNear)
      }
    }
    finding.sent = sent.closed
    finding.undelivered = undelivered.closed
  }

  private struct Counts {
    var least: Int
    var most: Int

    mutating func add(least isLeast: Bool, most isMost: Bool) {
      if isLeast { least += 1 }
      if isMost { most += 1 }
    }

    var closed: ClosedRange<Int> { least...max(least, most) }
  }

  /// When the musician's input is closed at the earliest, in nanoseconds of `LaboratoryClock`.
  private var leave: Int64 {
    musician.leaves.map { begin + Int64(($0 + musician.patience) * 1e9) } ?? .max
  }

  // MARK: Places

  /// Where a block's first sample belongs in the file.
  private func place(of block: MusicianScore.Block) -> Double {
    (block.captured + Double(begin - journal.zero) / 1e9) * 48_000
  }

  private func share(of range: Range<Double>, in gaps: [Range<Double>]) -> Double {
    gaps.reduce(0) { $0 + max(0, min($1.upperBound, range.upperBound) - max($1.lowerBound, range.lowerBound)) }
      / (range.upperBound - range.lowerBound)
  }

  private func note(_ what: String, _ place: Double, _ finding: inout TrackFinding) {
    guard finding.examples.count < 4 else { return }
    finding.examples.append("\((place / 480).rounded() / 100) s: \(what)")
  }
}
