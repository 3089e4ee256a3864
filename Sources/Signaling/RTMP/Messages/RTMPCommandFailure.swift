/// A command that could not be read, with as much of it as an answer needs.
struct RTMPCommandFailure: Error, Hashable, Sendable {
  /// 0 when it wants no answer or its number could not be read.
  let transaction: Double
  let isAMF3: Bool
  /// A sentence.
  let reason: String
}
