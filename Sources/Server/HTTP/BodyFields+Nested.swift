import Music
import Signaling

extension BodyFields {
  /// Most members of a list in a body.
  private static let maximumElements = 10_000
  /// Longest take that can be spoken of, in seconds: a year.
  private static let maximumSeconds = 31_622_400.0

  /// Strings in a list; nil where there is none.
  func optionalStrings(_ name: String) throws(Problem) -> [String]? {
    guard let elements = try optionalArray(name, of: "strings") else { return nil }
    var strings: [String] = []
    for element in elements {
      guard let text = element.string else {
        throw Problem.invalid(
          name, value: element.text, "\"\(name)\" has \(element.kind) in it; it must be a list of strings")
      }
      strings.append(text)
    }
    return strings
  }

  /// An object in the body, which has nothing but `permitted` in it.
  func optionalObject(_ name: String, permitted: [String]) throws(Problem) -> BodyFields? {
    guard let value = value(name) else { return nil }
    guard let object = value.object else { throw invalid(name, mustBe: "an object, or null") }
    return try BodyFields(object, permitted: permitted, path: name)
  }

  /// Objects in a list.
  func optionalObjects(_ name: String, permitted: [String]) throws(Problem) -> [BodyFields]? {
    guard let elements = try optionalArray(name, of: "objects") else { return nil }
    var objects: [BodyFields] = []
    for element in elements {
      guard let object = element.object else {
        throw Problem.invalid(
          name, value: element.text, "\"\(name)\" has \(element.kind) in it; it must be a list of objects")
      }
      objects.append(try BodyFields(object, permitted: permitted, path: name))
    }
    return objects
  }

  private func optionalArray(_ name: String, of what: String) throws(Problem) -> [JSONValue]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.array, elements.count <= BodyFields.maximumElements else {
      throw invalid(name, mustBe: "a list of \(what), at most \(BodyFields.maximumElements)")
    }
    return elements
  }

  func number(_ name: String) throws(Problem) -> Double {
    guard let number = value(name)?.double, number.isFinite else { throw invalid(name, mustBe: "a number") }
    return number
  }

  /// A place on a time line, in seconds; the nearest sample.
  func optionalPosition(_ name: String) throws(Problem) -> SamplePosition? {
    guard let value = value(name) else { return nil }
    guard let seconds = value.double, (0...BodyFields.maximumSeconds).contains(seconds) else {
      throw invalid(name, mustBe: "seconds from the take's zero, 0 or more", permitted: ["0…"])
    }
    return SamplePosition(Int64((seconds * Double(SamplePosition.rate)).rounded()))
  }

  func position(_ name: String) throws(Problem) -> SamplePosition {
    guard let position = try optionalPosition(name) else {
      throw invalid(name, mustBe: "seconds from the take's zero, 0 or more", permitted: ["0…"])
    }
    return position
  }
}
