import CSndFile

/// The formats of an exported mix or track.
package enum ExportFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// FLAC, 24 bits per sample.
  case flac24
  /// FLAC, 16 bits per sample, with dither.
  case flac16
  /// WAV, 24 bits per sample; like every WAV here, RF64 (EBU Tech 3306) beyond 4 GiB.
  case wav24
  /// WAV, 16 bits per sample, with dither.
  case wav16
  /// WAV, 32-bit floating point.
  case wav32f
  /// Broadcast WAV (EBU Tech 3285), 24 bits per sample, with a time stamp (`bext`) and the cues as markers.
  case bwf24
  /// Opus in Ogg (RFC 7845).
  case opus
  /// MP3, if the system's libsndfile supports it.
  case mp3

  /// The file name extension, without the dot.
  package var ending: String {
    switch self {
    case .flac24, .flac16: "flac"
    case .wav24, .wav16, .wav32f, .bwf24: "wav"
    case .opus: "opus"
    case .mp3: "mp3"
    }
  }

  /// The IANA media type.
  package var mediaType: String {
    switch self {
    case .flac24, .flac16: "audio/flac"
    case .wav24, .wav16, .wav32f, .bwf24: "audio/wav"
    case .opus: "audio/ogg"
    case .mp3: "audio/mpeg"
    }
  }

  /// Sample rates available for the format, in Hz; the first is the take's own.
  package var rates: [Int] {
    switch self {
    case .flac24, .flac16, .wav24, .wav16, .wav32f, .bwf24: [48_000, 44_100, 88_200, 96_000]
    case .opus: [48_000]
    case .mp3: [48_000, 44_100]
    }
  }

  /// True if the system's libsndfile can write it.
  package var isAvailable: Bool {
    var shape = SF_INFO()
    (shape.samplerate, shape.channels, shape.format) = (48_000, 2, code)
    return sf_format_check(&shape) != 0
  }

  /// libsndfile's number of the format.
  private var code: Int32 {
    switch self {
    case .flac24: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
    case .flac16: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    case .wav24, .bwf24: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_24)
    case .wav16: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16)
    case .wav32f: Int32(SF_FORMAT_WAV | SF_FORMAT_FLOAT)
    case .opus: Int32(SF_FORMAT_OGG | SF_FORMAT_OPUS)
    // Layer III; the numbers are those of libsndfile 1.1, which older headers do not define.
    case .mp3: 0x0023_0000 | 0x0082
    }
  }

  /// Bytes per sample of a WAV file; nil for other formats.
  fileprivate var waveBytes: Int64? {
    switch self {
    case .wav16: 2
    case .wav24, .bwf24: 3
    case .wav32f: 4
    case .flac24, .flac16, .opus, .mp3: nil
    }
  }

  /// The limit of RIFF's 32-bit lengths, minus a MiB for everything except the samples.
  private static let waveLimit = Int64(UInt32.max) - 1 << 20

  /// libsndfile's number for a file of `frames` frames: RF64 if WAV's lengths are too short.
  func code(frames: Int64, channels: Int) -> Int32 {
    guard let waveBytes else { return code }
    let (samples, overflow) = frames.multipliedReportingOverflow(by: Int64(channels) * waveBytes)
    guard overflow || samples > ExportFormat.waveLimit else { return code }
    return code & ~Int32(SF_FORMAT_TYPEMASK) | Int32(SF_FORMAT_RF64)
  }

  /// libsndfile's compression level, from 0 (large) to 1 (small).
  var compression: Double {
    switch self {
    // 160 kbit/s for stereo: (1 - x) * 250 + 6 for each channel.
    case .opus: 0.704
    // LAME's V0.
    case .mp3: 0
    default: SoundFileWriter.compression
    }
  }

  /// The same format for a take's own files; nil if there is none.
  var ownFormat: SoundFileFormat? { SoundFileFormat(rawValue: rawValue) }

  /// True if samples are rounded to 16 bits.
  var needsDither: Bool { self == .flac16 || self == .wav16 }
}

extension SoundFileWriter {
  /// Creates the exported file `name` in `folder`.
  ///
  /// Equal arguments and samples give equal bytes, at any time.
  ///
  /// - Parameters:
  ///   - rate: one of `format.rates`, in Hz.
  ///   - frames: number of frames to come, which decides between WAV and RF64.
  ///   - stamp: the file's time stamp, stored by `.bwf24`.
  ///   - markers: named positions, stored by `.bwf24`.
  ///   - replaces: true to replace an existing file.
  package convenience init(
    _ name: String, in folder: TakeFolder, as format: ExportFormat, channels: Int, rate: Int = 48_000, frames: Int64,
    tags: SoundFileTags = SoundFileTags(), stamp: BroadcastStamp? = nil, markers: [Marker] = [],
    replaces: Bool = true
  ) throws(FileProblem) {
    var shape = SoundFileShape(
      code: format.code(frames: frames, channels: channels), channels: channels, rate: rate, tags: tags,
      compression: format.compression)
    shape.replaces = replaces
    if format == .bwf24 { (shape.stamp, shape.chunks) = (stamp, markers.chunks) }
    let tag = ID3Tag.bytes(of: tags)
    if format == .mp3 { (shape.head, shape.tags) = (tag, SoundFileTags()) }
    // Beside libsndfile's LIST of texts, which says nothing of their encoding.
    if format.waveBytes != nil, !tag.isEmpty { shape.chunks.append(SoundFileChunk(identifier: "id3 ", bytes: tag)) }
    // Derived from the tags, so that chained streams in one file remain distinguishable.
    if format == .opus { shape.oggSerial = CRC32C.of(Array(tags.strings.map(\.text).joined(separator: "\n").utf8)) }
    try self.init(name, in: folder, shape: shape)
  }
}
