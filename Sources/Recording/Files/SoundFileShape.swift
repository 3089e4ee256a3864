import CSndFile

/// What a sound file is to be, as libsndfile has to know it before the first sample.
struct SoundFileShape {
  /// libsndfile's number for container and samples.
  var code: Int32
  var channels: Int
  /// In Hz.
  var rate: Int
  var tags = SoundFileTags()
  /// Between 0 (large, or fast for FLAC) and 1 (small).
  var compression = SoundFileWriter.compression
  /// The place in time, for broadcast WAV.
  var stamp: BroadcastStamp?
  /// Chunks of a WAV file besides libsndfile's own.
  var chunks: [SoundFileChunk] = []
  /// The serial number of an Ogg stream; libsndfile would draw one at random.
  var oggSerial: UInt32?

  /// Whether an RF64 file that stays short becomes a WAV file in the end.
  var isDowngraded = true

  /// Tells `handle` everything but container, channels and rate.
  func apply(to handle: OpaquePointer) -> Bool {
    // Without clipping, samples beyond full scale would wrap round to the other side.
    sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
    var compression = compression
    sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &compression, Int32(MemoryLayout<Double>.size))
    // Plain WAV is what everything reads; RF64 only where the length needs it.
    sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(isDowngraded ? SF_TRUE : SF_FALSE))
    // The chunk with the peaks of floating-point files holds the time of writing.
    sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    for (code, text) in tags.strings { sf_set_string(handle, code, text) }
    return (stamp?.apply(to: handle) ?? true) && chunks.allSatisfy { $0.apply(to: handle) }
  }
}
