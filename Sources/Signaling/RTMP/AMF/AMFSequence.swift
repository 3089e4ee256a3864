/// The values of a message's body: all of them, or those before the first that could not be read.
struct AMFSequence: Hashable, Sendable {
  let values: [AMFValue]
  /// What was wrong in the strict reading, when the lenient one did not help either.
  let failure: AMFError?

  /// Reads to the end, strictly first; only if that fails again with the forms of the iOS library, because they are
  /// ambiguous.
  init(_ cursor: ByteReader, limits: AMFLimits = .message) {
    let strict = AMFSequence(cursor, limits: limits, isLenient: false)
    guard strict.failure != nil else {
      self = strict
      return
    }
    let lenient = AMFSequence(cursor, limits: limits, isLenient: true)
    self = lenient.failure == nil ? lenient : strict
  }

  private init(_ cursor: ByteReader, limits: AMFLimits, isLenient: Bool) {
    var reader = AMFReader(cursor, limits: limits, isLenient: isLenient)
    var values: [AMFValue] = []
    var failure: AMFError?
    while !reader.isAtEnd, failure == nil {
      do throws(AMFError) {
        values.append(try reader.value())
      } catch {
        failure = error
      }
    }
    self.values = values
    self.failure = failure
  }
}
