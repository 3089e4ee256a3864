import CSndFile

/// How a sound file holds its samples.
package enum SoundFileFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// FLAC, 24 bits a sample.
  case flac24
  /// FLAC, 16 bits a sample.
  case flac16
  /// WAV, 24 bits a sample; RF64 (EBU Tech 3306) where it grows beyond 4 GiB.
  case wav24

  /// What file names end in, without the dot.
  package var ending: String {
    switch self {
    case .flac24, .flac16: "flac"
    case .wav24: "wav"
    }
  }

  /// Bits a sample.
  package var bits: Int { self == .flac16 ? 16 : 24 }

  /// The IANA media type.
  package var mediaType: String {
    switch self {
    case .flac24, .flac16: "audio/flac"
    case .wav24: "audio/wav"
    }
  }

  /// libsndfile's number for it.
  var code: Int32 {
    switch self {
    case .flac24: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
    case .flac16: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    case .wav24: Int32(SF_FORMAT_RF64 | SF_FORMAT_PCM_24)
    }
  }
}

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

/// What a sound file says about itself; empty values are left out.
package struct SoundFileTags: Hashable, Sendable {
  package var title: String
  package var artist: String
  package var album: String
  package var trackNumber: Int?
  package var comment: String
  /// RFC 3339 date, "2026-11-21".
  package var date: String
  package var software: String

  package init(
    title: String = "", artist: String = "", album: String = "", trackNumber: Int? = nil, comment: String = "",
    date: String = "", software: String = ""
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.trackNumber = trackNumber
    self.comment = comment
    self.date = date
    self.software = software
  }

  /// libsndfile's number for each tag that there is; NUL would end a text early and is taken out.
  var strings: [(code: Int32, text: String)] {
    let all: [(Int32, String)] = [
      (Int32(SF_STR_TITLE), title), (Int32(SF_STR_ARTIST), artist), (Int32(SF_STR_ALBUM), album),
      (Int32(SF_STR_TRACKNUMBER), trackNumber.map(String.init) ?? ""), (Int32(SF_STR_COMMENT), comment),
      (Int32(SF_STR_DATE), date), (Int32(SF_STR_SOFTWARE), software),
    ]
    return all.map { ($0.0, $0.1.replacing("\0", with: "")) }.filter { !$0.1.isEmpty }
  }
}
