import Recording

/// Where the render's processor time goes, per stereo packet of 20 ms.
struct CostTrial {
  let folder: String

  private static let block = 960

  func run() throws {
    let music = try LoopedMusic(seed: 1)
    let count = music.payloads.count
    let samples = try decoded(music)
    try ScratchTake.with(folder) { folder, take, zero in
      var figure = Figure("cost")
      var frames = (0..<(count / 50)).flatMap { music.second($0, track: 1, zero: zero) }
      frames.sort { $0.time < $1.time }
      frames.insert(.trackOpened(track: 1, take.tracks[0], at: zero), at: 0)
      var writer = JournalWriter(header: JournalHeader(take: take.take, zero: zero, software: "jamjar fidelity"))
      for frame in frames { writer.append(frame) }
      let journal = writer.take()
      try JournalFile(creatingIn: folder).append(journal)
      let whole = try Stopwatch.microseconds(per: count) {
        _ = try TakeRenderer(folder: folder, take: take.take).finish()
      }
      figure.add("wholeRenderOneTrackAndMixUs", whole)
      let decoder = try OpusDecoder(channels: 2)
      var output = [Float](repeating: 0, count: 1_920)
      try figure.add(
        "decodeUs",
        output.withUnsafeMutableBufferPointer { output in
          try Stopwatch.microseconds(per: count) {
            for payload in music.payloads { _ = try decoder.decode(payload[...], into: output) }
          }
        })
      figure.add("resampleUs", resample(samples, count: count))
      try figure.add("flacAndSHA256Us", flac(samples, in: folder, count: count))
      figure.add(
        "loudnessUs",
        Stopwatch.microseconds(per: count) {
          var loudness = Loudness(channels: 2)
          blocks(samples) { loudness.add($0) }
        })
      figure.add(
        "mixAndLimitUs",
        Stopwatch.microseconds(per: count) {
          var mixer = Mixer(frames: CostTrial.block)
          blocks(samples) { block in
            mixer.add(block, channels: 2)
            mixer.process { _ in }
          }
        })
      try figure.add("peaksUs", peaks(samples, in: folder, count: count))
      figure.add(
        "sha256Us",
        Stopwatch.microseconds(per: count) {
          // As many bytes as the sound file has, about 2.3 bytes a sample.
          let sum = SHA256()
          blocks(samples) { sum.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[..<4_400])) }
          _ = sum.finish()
        })
      figure.add(
        "journalReadWithCRC32CUs",
        try Stopwatch.microseconds(per: count) {
          var reader = JournalReader()
          reader.feed(journal)
          while try reader.next() != nil {}
        })
      figure.add("crc32cUs", Stopwatch.microseconds(per: count) { _ = CRC32C.of(journal) })
      figure.tell()
    }
  }

  private func decoded(_ music: LoopedMusic) throws -> [Float] {
    let decoder = try OpusDecoder(channels: 2)
    var samples: [Float] = []
    var output = [Float](repeating: 0, count: 1_920)
    for payload in music.payloads {
      _ = try output.withUnsafeMutableBufferPointer { try decoder.decode(payload[...], into: $0) }
      samples += output
    }
    return samples
  }

  private func blocks(_ samples: [Float], _ body: (UnsafeBufferPointer<Float>) throws -> Void) rethrows {
    try samples.withUnsafeBufferPointer { samples in
      for start in stride(from: 0, to: samples.count, by: CostTrial.block * 2) {
        try body(UnsafeBufferPointer(rebasing: samples[start..<(start + CostTrial.block * 2)]))
      }
    }
  }

  private func resample(_ samples: [Float], count: Int) -> Double {
    let left = Array(samples.prefix(2_000))
    var output = [Float](repeating: 0, count: 1_920)
    return Stopwatch.microseconds(per: count) {
      left.withUnsafeBufferPointer { left in
        output.withUnsafeMutableBufferPointer { output in
          for index in 0..<count {
            let run = Resampler.Run(position: 30 + Double(index % 100) / 100, step: 1.000_08, count: CostTrial.block)
            Resampler().process(left: left, right: left, run, into: output)
          }
        }
      }
    }
  }

  private func flac(_ samples: [Float], in folder: TakeFolder, count: Int) throws -> Double {
    try Stopwatch.microseconds(per: count) {
      let writer = try SoundFileWriter("cost.flac", in: folder, channels: 2)
      try blocks(samples) { try writer.write($0) }
      _ = try writer.finish()
    }
  }

  private func peaks(_ samples: [Float], in folder: TakeFolder, count: Int) throws -> Double {
    try Stopwatch.microseconds(per: count) {
      let writer = try PeaksWriter("cost.peaks.dat", in: folder, channels: 2)
      try blocks(samples) { try writer.write($0) }
      _ = try writer.finish()
    }
  }
}
