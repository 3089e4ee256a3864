/// What a call gave.
package enum RTMPAnswer: Hashable, Sendable {
  /// A value, null too.
  case value(AMFValue)
  /// The method gives nothing: the answer ends before the value, so that the client gets no argument at all.
  case void
}
