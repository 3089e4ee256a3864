/// Why a scenario could not be played or looked at; no fault of the recorder's unless it says so.
package struct LaboratoryProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
