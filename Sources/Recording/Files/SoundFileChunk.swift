import CSndFile

/// A chunk of a WAV file (RIFF: an identifier of four characters, and bytes).
struct SoundFileChunk: Hashable, Sendable {
  /// Four characters.
  var identifier: String
  /// libsndfile fills them up with zeros to a multiple of four.
  var bytes: [UInt8]

  /// Has libsndfile write it before the samples; false where it refuses.
  func apply(to handle: OpaquePointer) -> Bool {
    var chunk = SF_CHUNK_INFO()
    withUnsafeMutableBytes(of: &chunk.id) { $0.copyBytes(from: Array(identifier.utf8).prefix(4)) }
    chunk.id_size = 4
    chunk.datalen = UInt32(clamping: bytes.count)
    var copy = bytes
    // libsndfile keeps a copy of its own.
    return copy.withUnsafeMutableBytes { buffer in
      chunk.data = buffer.baseAddress
      return sf_set_chunk(handle, &chunk) == 0
    }
  }
}
