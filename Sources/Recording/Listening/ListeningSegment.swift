import CLinux
import CSndFile

/// One segment of the listening road: two seconds of a sound file as an Ogg Opus stream of its own (RFC 7845).
///
/// It begins with the 80 ms before its own samples, which a player drops: after so long a decoder that knows nothing of
/// the stream before gives what one gives that does (RFC 7845 section 4.6). Browsers decode a segment to exactly these
/// frames, so that tracks stay together to the sample.
package enum ListeningSegment {
  /// Frames of a segment's own sound; the last of a file may have fewer. The studio's deck-loader.js says the same.
  package static let frames = 96_000
  /// Frames before them; silence before the file's beginning. The studio's supply.js says the same.
  package static let preRoll = 3_840

  /// libsndfile's compression for 64 kbit/s of mono and 48 kbit/s of each channel of stereo: three tracks in stereo leave
  /// 0.5 Mbit/s room.
  private static func compression(_ channels: Int) -> Double { channels == 1 ? 0.768 : 0.832 }

  /// The number of segments of a file.
  package static func count(of frameCount: Int64) -> Int { Int(clamping: (max(0, frameCount) - 1) / Int64(frames) + 1) }

  /// Encodes interleaved samples at 48 kHz, those of the pre-roll included. Equal samples give equal bytes.
  /// - Throws: `FileProblem` if libsndfile cannot encode Opus.
  package static func encode(_ samples: [Float], channels: Int) throws(FileProblem) -> [UInt8] {
    let label = "a segment for listening"
    let memory = try Descriptor.retrying(label, .create) { jamjar_memory_file(label) }.map(Descriptor.init(owning:))
    var head = SF_INFO()
    head.samplerate = 48_000
    head.channels = Int32(clamping: channels)
    head.format = Int32(SF_FORMAT_OGG | SF_FORMAT_OPUS)
    guard let handle = SoundFileCalls.open(memory, mode: Int32(SFM_WRITE), &head) else {
      throw FileProblem(path: label, operation: .create, code: 0, detail: SoundFileCalls.complaint(nil))
    }
    var effort = compression(channels)
    sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &effort, Int32(MemoryLayout<Double>.size))
    let frames = sf_count_t(samples.count / max(1, channels))
    let written = samples.withUnsafeBufferPointer { $0.baseAddress.map { sf_writef_float(handle, $0, frames) } ?? 0 }
    let complaint = SoundFileCalls.complaint(handle)
    guard sf_close(handle) == 0, written == frames, frames > 0 else {
      throw FileProblem(path: label, operation: .write, code: 0, detail: complaint)
    }
    let bytes = try memory.read(at: 0, count: Int(clamping: try memory.length(path: label)), path: label)
    var pages = OggPages(serial: 1)
    return bytes.withUnsafeBytes { pages.take($0) } + pages.rest()
  }
}
