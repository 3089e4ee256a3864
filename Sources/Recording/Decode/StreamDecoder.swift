/// Turns the waiting packets of one stream into continuous audio: what is missing is repaired, concealed, or silence.
///
/// It is asked for audio up to a position when the window for repairs has passed, so whatever is missing then stays so.
struct StreamDecoder {
  /// Longest concealment: libopus' guesses become a drone after 60 ms.
  static let longestConcealment: Int64 = 2_880
  /// Last part of a concealment that ends in silence, over which it fades: 20 ms.
  private static let fadeOut: Int64 = 960
  /// Fade when sound returns after silence: 2.5 ms, which avoids the click.
  private static let fadeIn = 120
  /// Smallest length that libopus conceals, in samples at 48 kHz: 2.5 ms.
  private static let unit: Int64 = 120
  /// Longest silence that one packet of an encoder with DTX announces: it repeats itself every 400 ms.
  private static let longestAnnouncedSilence: Int64 = 21_120

  private(set) var audio: DecodedAudio
  private let decoder: OpusDecoder
  private var scratch: [Float]
  /// Sequence number that comes next.
  private(set) var next: Int64
  /// The hole that is being filled, and what is already there of it.
  private var open: StreamHole?
  private var announcedSilence = false
  private var isAfterSilence = false
  /// Holes that were closed since they were last taken.
  private(set) var holes: [StreamHole] = []
  private(set) var concealedSamples: Int64 = 0
  private(set) var repairedByFEC = 0
  /// Numbers of the packets that in-band FEC brought back, since they were last taken.
  private var repaired: [Int64] = []
  /// Length of the packet before `next`, in samples.
  private var lastDuration: Int64 = 0
  private(set) var undecodablePackets = 0
  /// Numbers and stream positions of what was decoded, in an examination.
  private var played: [(sequence: Int64, timestamp: Int64)] = []

  /// Begins with the packet `sequence` at stream position `position`.
  ///
  /// - Parameter isExamination: nothing is decoded; what would be can be taken.
  /// - Throws: `OpusFailure` when libopus has no memory.
  init(channels: Int, sequence: Int64, position: Int64, isExamination: Bool = false) throws(OpusFailure) {
    decoder = try OpusDecoder(channels: channels, isMute: isExamination)
    audio = DecodedAudio(channels: channels, at: position)
    scratch = [Float](repeating: 0, count: OpusPacket.longest * decoder.channels)
    next = sequence
  }

  /// Hands over the closed holes.
  mutating func takeHoles() -> [StreamHole] {
    defer { holes.removeAll(keepingCapacity: true) }
    return holes
  }

  /// Hands over what was decoded, in an examination.
  mutating func takePlayed() -> [(sequence: Int64, timestamp: Int64)] {
    defer { played.removeAll(keepingCapacity: true) }
    return played
  }

  /// Hands over the numbers of the packets that in-band FEC brought back.
  mutating func takeRepaired() -> [Int64] {
    defer { repaired.removeAll() }
    return repaired
  }

  /// The hole at the end that no packet has closed yet.
  var openHole: StreamHole? { open }

  /// For how long after the last packet nothing need come, in samples: its encoder said that it falls silent.
  var announcedPause: Int64 { announcedSilence ? StreamDecoder.longestAnnouncedSilence : 0 }

  /// Decodes until there is audio up to `needed`, taking packets from `store`.
  mutating func fill(upTo needed: Int64, from store: inout PacketStore) {
    // A long silence is not written sample by sample.
    if needed - audio.end > audio.room { skip(to: needed) }
    // There always is room; a mistake here must cost a gap and not a loop without end.
    while audio.end < needed, audio.room > 0 {
      guard let packet = store.first else {
        fillHole(until: needed, end: nil)
        return
      }
      if packet.sequence < next || packet.duration == 0 {
        finishPadding(packet, in: &store)
        continue
      }
      let gap = packet.timestamp - audio.end
      if gap > 0 {
        let repair = repairLength(by: packet, gap: gap)
        if packet.timestamp - repair > audio.end {
          markHole(before: packet)
          fillHole(until: min(needed, packet.timestamp - repair), end: packet.timestamp - repair)
          continue
        }
        closeHole()
        repairPrevious(of: packet, length: repair)
      }
      closeHole()
      store.removeFirst()
      decode(packet)
    }
  }

  /// Padding fills its number; what cannot be Opus counts as undecodable and leaves a hole.
  private mutating func finishPadding(_ packet: StoredPacket, in store: inout PacketStore) {
    store.removeFirst()
    guard packet.sequence >= next else { return }
    if !packet.payload.isEmpty { undecodablePackets += 1 }
    if packet.sequence == next, packet.payload.isEmpty { next += 1 }
  }

  private mutating func decode(_ packet: StoredPacket) {
    let overlap = max(0, audio.end - packet.timestamp)
    next = packet.sequence + 1
    lastDuration = packet.duration
    announcedSilence = packet.opus?.isDiscontinuous ?? false
    guard overlap < packet.duration else { return }
    scratch.withUnsafeMutableBufferPointer { scratch in
      do {
        let count = try decoder.decode(packet.payload, into: scratch)
        guard let base = scratch.baseAddress else { return }
        let frames = UnsafeMutableBufferPointer(start: base, count: count * decoder.channels)
        if isAfterSilence { StreamDecoder.fadeIn(frames, channels: decoder.channels) }
        isAfterSilence = false
        audio.append(UnsafeBufferPointer(frames), skipping: Int(overlap))
        if decoder.isMute { played.append((packet.sequence, packet.timestamp)) }
      } catch {
        undecodablePackets += 1
        open = StreamHole(start: audio.end, length: 0, kind: .undecodable, concealed: 0)
      }
    }
    if open != nil {
      fillHole(until: packet.timestamp + packet.duration, end: packet.timestamp + packet.duration)
      closeHole()
    }
  }
}

extension StreamDecoder {
  /// How many samples before `packet` its in-band FEC brings back: the frame before it, where that one is lost.
  private func repairLength(by packet: StoredPacket, gap: Int64) -> Int64 {
    guard packet.sequence > next, let opus = packet.opus, opus.hasForwardErrorCorrection else { return 0 }
    // The copy is of the frame before the packet's first, and as long as that.
    return gap >= Int64(opus.frameDuration) ? Int64(opus.frameDuration) : 0
  }

  private mutating func repairPrevious(of packet: StoredPacket, length: Int64) {
    guard length > 0 else { return }
    scratch.withUnsafeMutableBufferPointer { scratch in
      let count = try? decoder.decodePrevious(from: packet.payload, frames: Int(length), into: scratch)
      guard let count, let base = scratch.baseAddress else { return }
      audio.append(UnsafeBufferPointer(start: base, count: count * decoder.channels))
    }
    isAfterSilence = false
    repairedByFEC += 1
    repaired.append(packet.sequence - 1)
  }

  /// Says what the hole before `packet` is, now that the packet is known.
  private mutating func markHole(before packet: StoredPacket) {
    var hole = open ?? StreamHole(start: audio.end, length: 0, kind: .open, concealed: 0)
    if hole.kind == .open {
      let step = SequenceStep(
        missing: packet.sequence - next, room: packet.timestamp - hole.start,
        shortest: lastDuration > 0 ? min(lastDuration, packet.duration) : packet.duration)
      hole.kind = step.isLoss ? .loss : .stall
    }
    open = hole
  }

  private mutating func closeHole() {
    guard var hole = open else { return }
    open = nil
    hole.length = audio.end - hole.start
    guard hole.length > 0, !isAnnounced(hole, length: hole.length) else { return }
    concealedSamples += hole.concealed
    holes.append(hole)
  }

  /// True for the silence that an encoder with DTX said it would not send.
  private func isAnnounced(_ hole: StreamHole, length: Int64) -> Bool {
    announcedSilence && hole.kind == .stall && length <= StreamDecoder.longestAnnouncedSilence
  }

  /// Fills up to `until`: concealment for 60 ms, then silence; or comfort noise for an announced silence.
  ///
  /// `end` is where the hole ends, nil while nobody knows.
  private mutating func fillHole(until: Int64, end: Int64?) {
    var hole = open ?? StreamHole(start: audio.end, length: 0, kind: .open, concealed: 0)
    let total = end.map { $0 - hole.start } ?? .max
    let isComfort = isAnnounced(hole, length: total)
    let budget = isComfort || total <= StreamDecoder.longestConcealment ? total : StreamDecoder.longestConcealment
    while audio.end < until, audio.room > 0 {
      let done = audio.end - hole.start
      // Ten milliseconds at a time, not beyond the hole's end nor what may be concealed, in the units of libopus.
      let wanted = min(480, budget - done, end.map { $0 - audio.end } ?? .max)
      let frames = wanted / StreamDecoder.unit * StreamDecoder.unit
      if frames > 0, conceal(frames, at: done, fadingTo: total > budget ? budget : nil) {
        if !isComfort { hole.concealed += frames }
      } else {
        audio.appendSilence(until - audio.end)
        isAfterSilence = true
      }
    }
    open = hole
  }

  /// Appends `frames` of concealment that begin `done` samples into the hole; false where libopus would not.
  private mutating func conceal(_ frames: Int64, at done: Int64, fadingTo end: Int64?) -> Bool {
    let channels = decoder.channels
    return scratch.withUnsafeMutableBufferPointer { scratch in
      guard let count = try? decoder.conceal(frames: Int(frames), into: scratch), count > 0,
        let base = scratch.baseAddress
      else { return false }
      let samples = UnsafeMutableBufferPointer(start: base, count: count * channels)
      if let end {
        for index in 0..<count {
          let left = Float(end - done - Int64(index)) / Float(StreamDecoder.fadeOut)
          guard left < 1 else { continue }
          for channel in 0..<channels { samples[index * channels + channel] *= max(0, left) }
        }
      }
      audio.append(UnsafeBufferPointer(samples))
      return true
    }
  }

  /// Leaves out what lies long before `needed`: nobody will hear it.
  private mutating func skip(to needed: Int64) {
    // So much is still decoded that the decoder has settled by then: 80 ms (RFC 7845 section 4.6).
    audio.restart(at: needed - 3_840)
    open = nil
    isAfterSilence = true
  }

  private static func fadeIn(_ frames: UnsafeMutableBufferPointer<Float>, channels: Int) {
    for index in 0..<min(fadeIn, frames.count / channels) {
      let factor = Float(index) / Float(fadeIn)
      for channel in 0..<channels { frames[index * channels + channel] *= factor }
    }
  }

  /// Resamples a piece of the time line that lies in what is decoded; false where some of it does not.
  func resample(_ piece: Placement.Piece, frames: Int, into output: UnsafeMutableBufferPointer<Float>) -> Bool {
    let run = Resampler.Run(position: piece.position - Double(audio.start), step: piece.step, count: frames)
    guard run.fits(in: Int(audio.end - audio.start)) else { return false }
    guard !decoder.isMute else { return false }
    let channels = decoder.channels
    audio.withPlanes { left, right in
      if channels == 1 {
        Resampler().process(left, run, into: output)
      } else {
        Resampler().process(left: left, right: right, run, into: output)
      }
    }
    return true
  }

  /// Lets go of audio well before `position`.
  mutating func discard(before position: Int64) {
    audio.discard(before: position)
  }
}
