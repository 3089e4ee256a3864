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
