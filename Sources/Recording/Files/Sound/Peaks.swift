/// The waveform outline of a sound: the lowest and highest sample of every 256, in 8 bits.
///
/// Channels are merged (lowest and highest of all), so that clipping on one side is visible.
package struct Peaks: Sendable, Codable {
  /// Samples (at 48 kHz) per pixel: 187.5 pixels per second.
  package static let samplesPerPixel = 256
  /// Full scale in the file's 8 bits.
  private static let scale: Float = 128

  package let channels: Int
  /// Finished pixels as signed bytes, each lowest then highest.
  package private(set) var pixels: [Int8] = []
  private var lowest: Float = 0
  private var highest: Float = 0
  private var filled = 0

  package init(channels: Int) {
    self.channels = max(1, channels)
  }

  /// Adds interleaved samples; full scale is ±1.
  package mutating func append(_ samples: UnsafeBufferPointer<Float>) {
    var index = 0
    while index + channels <= samples.count {
      let frames = min(Peaks.samplesPerPixel - filled, (samples.count - index) / channels)
      let end = index + frames * channels
      if filled == 0 {
        lowest = .infinity
        highest = -.infinity
      }
      include(UnsafeBufferPointer(rebasing: samples[index..<end]))
      index = end
      filled += frames
      if filled == Peaks.samplesPerPixel { finishPixel() }
    }
  }

  /// Adds interleaved samples.
  package mutating func append(_ samples: [Float]) {
    samples.withUnsafeBufferPointer { append($0) }
  }

  /// Completes the last pixel, even with fewer samples.
  package mutating func finish() {
    if filled > 0 { finishPixel() }
  }

  /// Returns the finished pixels and clears them.
  package mutating func take() -> [Int8] {
    defer { pixels.removeAll(keepingCapacity: true) }
    return pixels
  }

  /// Widens the pixel's range; NaN compares false with everything and is ignored.
  private mutating func include(_ samples: UnsafeBufferPointer<Float>) {
    let lanes = SIMD8<Float>.scalarCount
    var low = SIMD8<Float>(repeating: lowest)
    var high = SIMD8<Float>(repeating: highest)
    let bytes = UnsafeRawBufferPointer(samples)
    var index = 0
    while index + lanes <= samples.count {
      let vector = bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
      low.replace(with: vector, where: vector .< low)
      high.replace(with: vector, where: vector .> high)
      index += lanes
    }
    lowest = low.min()
    highest = high.max()
    for sample in samples[index...] {
      if sample < lowest { lowest = sample }
      if sample > highest { highest = sample }
    }
  }

  private mutating func finishPixel() {
    pixels.append(Peaks.quantized(lowest))
    pixels.append(Peaks.quantized(highest))
    filled = 0
  }

  private static func quantized(_ sample: Float) -> Int8 {
    // The infinities a pixel begins with remain if it contains only NaN.
    guard sample.isFinite else { return 0 }
    // in range: clamped
    return Int8((sample * scale).rounded(.towardZero).clamped(to: -128...127))
  }
}

extension Float {
  fileprivate func clamped(to range: ClosedRange<Float>) -> Float {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}

extension Peaks {
  /// Bytes of the header before the pixels.
  private static let headLength = 24

  /// Converts the binary form (audiowaveform, version 2, 8 bit) to audiowaveform's JSON; nil for other data.
  package static func json(ofBinary bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= headLength else { return nil }
    let words = (0..<6).map { word in
      bytes[(word * 4)..<(word * 4 + 4)].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    let (version, flags, length, channels) = (words[0], words[1], Int(words[4]), Int(words[5]))
    let (count, overflows) = length.multipliedReportingOverflow(by: channels.multipliedReportingOverflow(by: 2).0)
    guard version == 2, flags & 1 == 1, channels >= 1, channels <= 24, !overflows, bytes.count == headLength + count
    else { return nil }
    let head =
      "{\"version\":2,\"channels\":\(channels),\"sample_rate\":\(words[2]),\"samples_per_pixel\":\(words[3]),"
      + "\"bits\":8,\"length\":\(length),\"data\":["
    var json = Array(head.utf8)
    json.reserveCapacity(json.count + count * 4)
    for (place, byte) in bytes.dropFirst(headLength).enumerated() {
      if place > 0 { json.append(UInt8(ascii: ",")) }
      var magnitude = Int8(bitPattern: byte).magnitude
      if Int8(bitPattern: byte) < 0 { json.append(UInt8(ascii: "-")) }
      if magnitude >= 100 {
        json.append(UInt8(ascii: "1"))
        magnitude -= 100
        json.append(UInt8(ascii: "0") + magnitude / 10)
      } else if magnitude >= 10 {
        json.append(UInt8(ascii: "0") + magnitude / 10)
      }
      json.append(UInt8(ascii: "0") + magnitude % 10)
    }
    json += Array("]}\n".utf8)
    return json
  }
}
