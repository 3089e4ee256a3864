import CSndFile

/// The sample format of a sound file.
package enum SoundFileFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// FLAC, 24 bits per sample.
  case flac24
  /// FLAC, 16 bits per sample.
  case flac16
  /// WAV, 24 bits per sample; RF64 (EBU Tech 3306) if it grows beyond 4 GiB.
  case wav24

  /// The file name extension, without the dot.
  package var ending: String {
    switch self {
    case .flac24, .flac16: "flac"
    case .wav24: "wav"
    }
  }

  var isFLAC: Bool { self != .wav24 }

  /// Bits per sample.
  package var bits: Int { self == .flac16 ? 16 : 24 }

  /// The IANA media type.
  package var mediaType: String {
    switch self {
    case .flac24, .flac16: "audio/flac"
    case .wav24: "audio/wav"
    }
  }

  /// libsndfile's number of the format.
  var code: Int32 {
    switch self {
    case .flac24: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
    case .flac16: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    case .wav24: Int32(SF_FORMAT_RF64 | SF_FORMAT_PCM_24)
    }
  }
}

/// The properties that libsndfile needs before the first sample.
struct SoundFileShape {
  /// libsndfile's number of container and sample format.
  var code: Int32
  var channels: Int
  /// In Hz.
  var rate: Int
  var tags = SoundFileTags()
  /// Compression level from 0 (large, or fast for FLAC) to 1 (small).
  var compression = SoundFileWriter.compression
  /// The time stamp of broadcast WAV.
  var stamp: BroadcastStamp?
  /// Chunks of a WAV file in addition to libsndfile's own.
  var chunks: [SoundFileChunk] = []
  /// Bytes before libsndfile's: the tag of an MP3.
  var head: [UInt8] = []
  /// The serial number of an Ogg stream; libsndfile would choose one at random.
  var oggSerial: UInt32?

  /// True if an existing file of the name is replaced.
  var replaces = true

  /// True if a short RF64 file is converted to WAV on closing.
  var isDowngraded = true

  /// Sets everything on `handle` except container, channels and rate.
  func apply(to handle: OpaquePointer) -> Bool {
    // Without clipping, samples beyond full scale would wrap around.
    sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
    var compression = compression
    sf_command(handle, Int32(SFC_SET_COMPRESSION_LEVEL), &compression, Int32(MemoryLayout<Double>.size))
    // Every program reads plain WAV; RF64 is used only if the length requires it.
    sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(isDowngraded ? SF_TRUE : SF_FALSE))
    // The PEAK chunk of floating-point files contains the time of writing.
    sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    for (code, text) in tags.strings { sf_set_string(handle, code, text) }
    return (stamp?.apply(to: handle) ?? true) && chunks.allSatisfy { $0.apply(to: handle) }
  }
}

/// A chunk of a WAV file (RIFF: a four-character identifier and bytes).
struct SoundFileChunk: Hashable, Sendable {
  /// Four characters.
  var identifier: String
  /// libsndfile pads them with zeros to a multiple of four.
  var bytes: [UInt8]

  /// Passes the chunk to libsndfile, to be written before the samples; false if it refuses.
  func apply(to handle: OpaquePointer) -> Bool {
    var chunk = SF_CHUNK_INFO()
    withUnsafeMutableBytes(of: &chunk.id) { $0.copyBytes(from: Array(identifier.utf8).prefix(4)) }
    chunk.id_size = 4
    chunk.datalen = UInt32(clamping: bytes.count)
    var copy = bytes
    // libsndfile makes its own copy.
    return copy.withUnsafeMutableBytes { buffer in
      chunk.data = buffer.baseAddress
      return sf_set_chunk(handle, &chunk) == 0
    }
  }
}

/// The metadata of a sound file; empty values are left out.
package struct SoundFileTags: Hashable, Sendable, Codable {
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

  /// libsndfile's number for each tag present; NULs, which would end a text early, are removed.
  var strings: [(code: Int32, text: String)] {
    let all: [(Int32, String)] = [
      (Int32(SF_STR_TITLE), title), (Int32(SF_STR_ARTIST), artist), (Int32(SF_STR_ALBUM), album),
      (Int32(SF_STR_TRACKNUMBER), trackNumber.map(String.init) ?? ""), (Int32(SF_STR_COMMENT), comment),
      (Int32(SF_STR_DATE), date), (Int32(SF_STR_SOFTWARE), software),
    ]
    return all.map { ($0.0, $0.1.replacing("\0", with: "")) }.filter { !$0.1.isEmpty }
  }
}
