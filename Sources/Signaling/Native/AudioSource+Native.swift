import Music

extension AudioSource {
  /// The word for the live mix in place of a participant's identifier.
  package static let mixName = "mix"
  /// The word for the live mix without the subscriber.
  package static let mixMinusName = "mix-minus"

  /// The parameters for this source.
  var native: JSONObject {
    switch self {
    case .participant(let participant): ["participant": .string(participant.description)]
    case .mix(nil): ["participant": .string(AudioSource.mixName)]
    case .mix(let left?):
      ["participant": .string(AudioSource.mixName), "without": .string(left.description)]
    case .mixMinus: ["participant": .string(AudioSource.mixMinusName)]
    }
  }
}
