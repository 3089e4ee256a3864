/// The reason why the service does not start: a sentence that says what is wrong and what to do.
package struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}
