import Signaling

extension JSONValue {
  /// Formatted text: two spaces of indentation, members in REST's order, empty objects and arrays on one line.
  var prettyText: String {
    var text = ""
    write(into: &text, indentation: "")
    return text
  }

  private func write(into text: inout String, indentation: String) {
    let inner = indentation + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty:
      text += "[\n"
      for (index, element) in elements.enumerated() {
        text += (index > 0 ? ",\n" : "") + inner
        element.write(into: &text, indentation: inner)
      }
      text += "\n\(indentation)]"
    case .object(let object) where !object.members.isEmpty:
      text += "{\n"
      for (index, member) in object.members.enumerated() {
        text += (index > 0 ? ",\n" : "") + inner + JSONValue.string(member.name).text + ": "
        member.value.write(into: &text, indentation: inner)
      }
      text += "\n\(indentation)}"
    default: text += self.text
    }
  }
}
