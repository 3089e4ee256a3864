/// Something around the test did not work: a program is missing, a page threw, an answer was no JSON.
struct EndToEndFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
