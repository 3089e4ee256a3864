import Music

/// A named position in an exported file.
package struct Marker: Hashable, Sendable {
  /// Frame of the file, at the file's own rate.
  package var frame: Int64
  package var text: String

  package init(frame: Int64, text: String) {
    self.frame = frame
    self.text = text
  }

  /// The cues of a take that lie within a file, in order.
  ///
  /// - Parameters:
  ///   - start: position on the take's time line at which the file begins.
  ///   - length: length of the file.
  ///   - rate: sample rate of the file, in Hz.
  package static func markers(
    of cues: [Cue], start: SamplePosition, length: SamplePosition, rate: Int = Int(SamplePosition.rate)
  ) -> [Marker] {
    cues.sorted { ($0.position, $0.id) < ($1.position, $1.id) }.compactMap { cue in
      let (place, overflow) = cue.position.samples.subtractingReportingOverflow(start.samples)
      guard !overflow, place >= 0, place < length.samples else { return nil }
      return Marker(
        frame: Int64((Double(place) * Double(rate) / Double(SamplePosition.rate)).rounded()), text: cue.text)
    }
  }
}

extension [Marker] {
  /// Maximum number of markers per file, and of bytes per text: libsndfile's headers hold 100 KiB.
  private static var most: Int { 512 }
  private static var longestText: Int { 96 }
  /// Bytes of a `labl` chunk before its text: identifier, size, number of the position.
  private static var labelHead: Int { 12 }

  /// The chunks of a WAV file for the first 512 of these markers: positions (`cue `) and names (`LIST` of `labl`).
  ///
  /// Multimedia Programming Interface and Data Specifications 1.0 (IBM, Microsoft 1991), chapter 3.
  var chunks: [SoundFileChunk] {
    let kept = prefix(Self.most).filter { $0.frame >= 0 && $0.frame <= Int64(UInt32.max) }
    guard !kept.isEmpty else { return [] }
    var places = number(kept.count)
    var names = Swift.Array("adtl".utf8)
    for (index, marker) in kept.enumerated() {
      let frame = number(Int(marker.frame))
      places += number(index + 1) + frame + Swift.Array("data".utf8) + number(0) + number(0) + frame
      var text = Self.text(of: marker)
      // libsndfile makes a chunk's body a multiple of four bytes and counts what it adds; its own reader takes those
      // zeros for a chunk and gives up. They therefore belong to the last text. Earlier texts have one zero only,
      // because ffmpeg reads any byte behind it as the next chunk.
      if index == kept.count - 1 {
        let rest = (names.count + Self.labelHead + text.count) % 4
        if rest > 0 { text += [UInt8](repeating: 0, count: 4 - rest) }
      }
      names += Swift.Array("labl".utf8) + number(4 + text.count) + number(index + 1) + text
      // RIFF chunks begin at even offsets; the byte for it is not counted in the chunk's size.
      if text.count % 2 == 1 { names.append(0) }
    }
    return [SoundFileChunk(identifier: "cue ", bytes: places), SoundFileChunk(identifier: "LIST", bytes: names)]
  }

  private func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// The text with a terminating zero.
  private static func text(of marker: Marker) -> [UInt8] {
    var bytes: [UInt8] = []
    for character in marker.text.replacing("\0", with: "") {
      guard bytes.count + character.utf8.count <= longestText else { break }
      bytes += Swift.Array(character.utf8)
    }
    return bytes + [0]
  }
}
