import Music

extension AudioSource {
  /// What stands in place of a participant's identifier for the live mix.
  package static let mixName = "mix"
  /// The same for the live mix without whoever subscribes.
  package static let mixMinusName = "mix-minus"

  /// The parameters that name this source.
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
