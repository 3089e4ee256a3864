/// A WebSocket link or one HTTP POST that a session is reached by; numbers are given by the shell.
///
/// A number is never used again for another link of the same session. The shell tells the end of every link, of answered
/// POSTs too, by `linkLost`.
package struct LinkNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }
}
