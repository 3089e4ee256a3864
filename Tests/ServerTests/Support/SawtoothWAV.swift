/// A sound file made by hand.
enum SawtoothWAV {
  /// A second of WAV, 16 bits, mono, 48 kHz: a sawtooth.
  static func bytes(seconds: Int = 1) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 0xFF) } }
    let frames = 48_000 * seconds
    var file = Array("RIFF".utf8) + little(36 + frames * 2, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
    file += little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4) + little(2, 2) + little(16, 2)
    file += Array("data".utf8) + little(frames * 2, 4)
    for frame in 0..<frames { file += little(frame * 37 % 16_384, 2) }
    return file
  }
}
