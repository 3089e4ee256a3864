import Machines
import Music
import Signaling

/// Reads the members of a request's body; problems name the field, its value and the permitted values.
struct BodyFields {
  let object: JSONObject
  /// The path of the object in the body with a trailing dot; empty for the body itself.
  private let prefix: String

  /// - Throws: `Problem` if a member is not in `permitted`.
  init(_ object: JSONObject, permitted: [String], path: String? = nil) throws(Problem) {
    self.object = object
    prefix = path.map { $0 + "." } ?? ""
    for member in object.members where !permitted.contains(member.name) {
      throw Problem.invalid(
        // in range: a text
        prefix + member.name, value: BodyFields.shown(member.value),
        "there is no field \"\(member.name.prefix(64))\" here", permitted: permitted)
    }
  }

  /// Whether the member exists, even as null.
  func has(_ name: String) -> Bool { object[name] != nil }

  /// The member's value; null counts as absent.
  func value(_ name: String) -> JSONValue? {
    object[name].flatMap { $0 == .null ? nil : $0 }
  }

  private static func shown(_ value: JSONValue) -> String { value.string ?? value.text }

  func invalid(_ name: String, mustBe expected: String, permitted: [String] = []) -> Problem {
    let found = object[name].map { "is \($0.kind)" } ?? "is missing"
    return Problem.invalid(
      // in range: a text
      prefix + name, value: object[name].map(BodyFields.shown), "\"\(prefix)\(name)\" \(found); it must be \(expected)",
      permitted: permitted)
  }

  func optionalString(_ name: String) throws(Problem) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw invalid(name, mustBe: "a string") }
    return text
  }

  func string(_ name: String) throws(Problem) -> String {
    guard let text = try optionalString(name) else { throw invalid(name, mustBe: "a string") }
    return text
  }

  func optionalBool(_ name: String) throws(Problem) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw invalid(name, mustBe: "true or false", permitted: ["true", "false"]) }
    return bool
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let integer = value.integer, range.contains(integer) else {
      throw Problem.invalid(
        name, value: BodyFields.shown(value),
        "\"\(name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound)",
        permitted: ["\(range.lowerBound)…\(range.upperBound)"])
    }
    return integer
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64 {
    guard let integer = try optionalInteger(name, in: range) else {
      throw invalid(
        name, mustBe: "a whole number from \(range.lowerBound) to \(range.upperBound)",
        permitted: ["\(range.lowerBound)…\(range.upperBound)"])
    }
    return integer
  }

  /// A word of a closed set.
  func word<Word>(_ name: String, among words: [String: Word]) throws(Problem) -> Word {
    let permitted = words.keys.sorted()
    guard let text = value(name)?.string, let word = words[text] else {
      throw Problem.invalid(
        name, value: value(name).map(BodyFields.shown),
        "\"\(name)\" must be \(permitted.map { "\"\($0)\"" }.joined(separator: " or "))", permitted: permitted)
    }
    return word
  }

  func displayName(_ name: String) throws(Problem) -> DisplayName {
    let text = try string(name)
    do throws(NameError) {
      return try DisplayName(checking: text)
    } catch {
      throw Problem.invalid(name, value: text, error.description)
    }
  }

  /// A part; it follows the rules of names, because it is shown beside them.
  func part(_ name: String) throws(Problem) -> Part? {
    guard let text = try optionalString(name), !text.isEmpty else { return nil }
    do throws(NameError) {
      return try DisplayName(checking: text).description
    } catch {
      throw Problem.invalid(name, value: text, error.description)
    }
  }
}

extension BodyFields {
  /// Most members of a list in a body.
  private static let maximumElements = 10_000
  /// Greatest position in a body, in seconds: a year.
  private static let maximumSeconds = 31_622_400.0

  /// Strings in a list; nil without one.
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

  /// An object in the body, with no members other than `permitted`.
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
    return SamplePosition(Int64(saturating: seconds * Double(SamplePosition.rate)))
  }

  func position(_ name: String) throws(Problem) -> SamplePosition {
    guard let position = try optionalPosition(name) else {
      throw invalid(name, mustBe: "seconds from the take's zero, 0 or more", permitted: ["0…"])
    }
    return position
  }
}
