/// Turns the waiting packets of one stream into continuous audio; missing packets are repaired, concealed, or silent.
///
/// It is asked for audio up to a position only when no packet before that is missing, or the repair window has passed: later
/// packets are of no use.
struct StreamDecoder: Codable {
  /// A decoded packet's number and stream position.
  struct Played: Codable {
    var sequence: Int64
    var timestamp: Int64
  }

  /// Longest concealment: after 60 ms, libopus' guesses become a drone.
  static let longestConcealment: Int64 = 2_880
  /// Fade-out at the end of a concealment that ends in silence: 20 ms.
  private static let fadeOut: Int64 = 960
  /// Fade-in when sound returns after silence: 2.5 ms, which avoids a click.
  private static let fadeIn = 120
  /// Shortest length that libopus conceals, in samples at 48 kHz: 2.5 ms.
  private static let unit: Int64 = 120
  /// Longest silence that one DTX packet announces: encoders repeat it every 400 ms.
  private static let longestAnnouncedSilence: Int64 = 21_120

  private(set) var audio: DecodedAudio
  private var decoder: RepeatableDecoder
  private var scratch = DecoderScratch()
  /// The next sequence number.
  private(set) var next: Int64
  /// The hole being filled, and how much of it is filled.
  private var open: StreamHole?
  private var announcedSilence = false
  private var isAfterSilence = false
  /// Holes closed since the last call of `takeHoles()`.
  private(set) var holes: [StreamHole] = []
  private(set) var concealedSamples: Int64 = 0
  private(set) var repairedByFEC = 0
  /// Numbers of the packets recovered by in-band FEC since the last call of `takeRepaired()`.
  private var repaired: [Int64] = []
  /// Length of the packet before `next`, in samples.
  private var lastDuration: Int64 = 0
  private(set) var undecodablePackets = 0
  /// Numbers and stream positions of decoded packets, during an examination.
  private var played: [Played] = []

  /// Starts with packet `sequence` at stream position `position`.
  ///
  /// - Parameters:
  ///   - isExamination: decodes nothing, but records which packets would be decoded.
  ///   - isRepeatable: true if it will be part of checkpoints.
  ///   - former: of the same encoder before its numbers or times jumped, which is not used any more. A fresh decoder
  ///     would need some packets to run in (RFC 6716 section 4.5).
  /// - Throws: `OpusFailure` if libopus runs out of memory.
  init(
    channels: Int, sequence: Int64, position: Int64, isExamination: Bool = false, isRepeatable: Bool = false,
    continuing former: StreamDecoder? = nil
  ) throws(OpusFailure) {
    decoder =
      if let former, former.decoder.channels == channels {
        former.decoder
      } else {
        try RepeatableDecoder(channels: channels, isMute: isExamination, remembers: isRepeatable)
      }
    audio = DecodedAudio(channels: channels, at: position)
    next = sequence
  }

  /// Returns the closed holes and clears them.
  mutating func takeHoles() -> [StreamHole] {
    defer { holes.removeAll(keepingCapacity: true) }
    return holes
  }

  /// Returns the packets decoded during an examination and clears them.
  mutating func takePlayed() -> [Played] {
    defer { played.removeAll(keepingCapacity: true) }
    return played
  }

  /// Returns the numbers of the packets recovered by in-band FEC and clears them.
  mutating func takeRepaired() -> [Int64] {
    defer { repaired.removeAll() }
    return repaired
  }

  /// The hole at the end that no packet has closed yet.
  var openHole: StreamHole? { open }

  /// How long no packet is expected after the last one, in samples: its encoder announced silence.
  var announcedPause: Int64 { announcedSilence ? StreamDecoder.longestAnnouncedSilence : 0 }

  /// Decodes packets from `store` until there is audio up to `needed`.
  mutating func fill(upTo needed: Int64, from store: inout PacketStore) {
    // A long silence is skipped rather than written sample by sample.
    if needed - audio.end > audio.room { skip(to: needed) }
    // There is always room; a bug here must cost a gap rather than an endless loop.
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

  /// Consumes padding; a packet that cannot be Opus counts as undecodable and leaves a hole.
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
    scratch.with(packet.duration * Int64(decoder.channels)) { scratch in
      do {
        let count = try decoder.decode(packet.payload, into: scratch)
        guard let base = scratch.baseAddress else { return }
        let frames = UnsafeMutableBufferPointer(start: base, count: count * decoder.channels)
        if isAfterSilence { StreamDecoder.fadeIn(frames, channels: decoder.channels) }
        isAfterSilence = false
        audio.append(UnsafeBufferPointer(frames), skipping: Int(overlap))
        if decoder.isMute { played.append(Played(sequence: packet.sequence, timestamp: packet.timestamp)) }
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
  /// Samples before `packet` that its in-band FEC recovers: the previous frame, if that was lost.
  private func repairLength(by packet: StoredPacket, gap: Int64) -> Int64 {
    guard packet.sequence > next, let opus = packet.opus, opus.hasForwardErrorCorrection else { return 0 }
    // The copy is of the frame before the packet's first frame, and has the same length.
    return gap >= Int64(opus.frameDuration) ? Int64(opus.frameDuration) : 0
  }

  private mutating func repairPrevious(of packet: StoredPacket, length: Int64) {
    guard length > 0 else { return }
    scratch.with(length * Int64(decoder.channels)) { scratch in
      let count = try? decoder.decodePrevious(from: packet.payload, frames: Int(length), into: scratch)
      guard let count, let base = scratch.baseAddress else { return }
      audio.append(UnsafeBufferPointer(start: base, count: count * decoder.channels))
    }
    isAfterSilence = false
    repairedByFEC += 1
    repaired.append(packet.sequence - 1)
  }

  /// Sets the kind of the hole before `packet`, now that the packet is known.
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

  /// True for silence announced by an encoder with DTX.
  private func isAnnounced(_ hole: StreamHole, length: Int64) -> Bool {
    announcedSilence && hole.kind == .stall && length <= StreamDecoder.longestAnnouncedSilence
  }

  /// Fills up to `until` with concealment for 60 ms, then silence; or with comfort noise for an announced silence.
  ///
  /// `end` is the end of the hole, nil if not yet known.
  private mutating func fillHole(until: Int64, end: Int64?) {
    var hole = open ?? StreamHole(start: audio.end, length: 0, kind: .open, concealed: 0)
    let total = end.map { $0 - hole.start } ?? .max
    let isComfort = isAnnounced(hole, length: total)
    let budget = isComfort || total <= StreamDecoder.longestConcealment ? total : StreamDecoder.longestConcealment
    while audio.end < until, audio.room > 0 {
      let done = audio.end - hole.start
      // Steps of 10 ms, limited by the hole's end and the concealment budget, in libopus' units.
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

  /// Appends `frames` of concealment, starting `done` samples into the hole; false if libopus refuses.
  private mutating func conceal(_ frames: Int64, at done: Int64, fadingTo end: Int64?) -> Bool {
    let channels = decoder.channels
    return scratch.with(frames * Int64(channels)) { scratch in
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

  /// Skips audio long before `needed`, which nobody will hear.
  private mutating func skip(to needed: Int64) {
    // Enough is still decoded for the decoder to settle: 80 ms (RFC 7845 section 4.6).
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

  /// Resamples a piece of the time line; false if some of it has not been decoded.
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

  /// Releases audio well before `position`.
  mutating func discard(before position: Int64) {
    audio.discard(before: position)
  }
}
