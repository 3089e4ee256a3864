/// What a peer sent that RTMP does not have or this server does not take, in a sentence.
package struct RTMPViolation: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  init(_ description: String) {
    self.description = description
  }
}
