/// Silences the beginning of a stream of Opus that is entered in its middle.
///
/// Its packets tell how much louder or softer the sound becomes. A decoder that has not heard what was before gives out up to ten
/// times as much as it should, until that has faded after 80 ms (RFC 7845 section 4.6).
struct OpusRunIn {
  /// Samples of each channel, at 48 kHz: what is silent, and in how many more the sound comes up.
  private static let (length, ramp) = (3_840, 480)

  /// Samples of each channel so far.
  private var count = 0

  /// The next samples of two channels, interleaved, as they are to be heard.
  mutating func heard(_ samples: [Float]) -> [Float] {
    let end = OpusRunIn.length + OpusRunIn.ramp
    guard count < end else { return samples }
    var heard = samples
    for index in heard.indices {
      let place = count + index / 2 - OpusRunIn.length
      if place < OpusRunIn.ramp { heard[index] *= Float(max(0, place)) / Float(OpusRunIn.ramp) }
    }
    count = min(end, count + samples.count / 2)
    return heard
  }
}
