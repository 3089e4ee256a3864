import Glibc

/// One line of the output: a JSON object with the figures of one measurement.
struct Figure {
  enum Value {
    case text(String)
    case number(Double)
    case truth(Bool)
  }

  private var fields: [(String, Value)]

  init(_ part: String) {
    fields = [("part", .text(part))]
  }

  mutating func add(_ name: String, _ text: String) { fields.append((name, .text(text))) }
  mutating func add(_ name: String, _ number: Double) { fields.append((name, .number(number))) }
  mutating func add(_ name: String, _ count: Int) { fields.append((name, .number(Double(count)))) }
  mutating func add(_ name: String, _ truth: Bool) { fields.append((name, .truth(truth))) }

  /// p50, p99 and the highest of `values`, under names that begin with `name`.
  mutating func add(_ name: String, _ values: Distribution) {
    add(name + "P50", values.quantile(0.5))
    add(name + "P99", values.quantile(0.99))
    add(name + "Max", values.highest)
  }

  /// Prints the line at once, so that a run that is broken off has told what it had.
  func tell() {
    let inner = fields.map { name, value in
      switch value {
      case .text(let text): "\"\(name)\":\"\(Figure.escaped(text))\""
      // JSON knows no infinity.
      case .number(let number): "\"\(name)\":" + (number.isFinite ? Figure.shortened(number) : "null")
      case .truth(let truth): "\"\(name)\":\(truth)"
      }
    }
    print("{\(inner.joined(separator: ","))}")
    fflush(nil)
  }

  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\"", "\\": "\\\(character)"
      case "\n", "\r\n": " "
      default: String(character)
      }
    }.joined()
  }

  /// Five digits are more than any of these figures is worth.
  private static func shortened(_ number: Double) -> String {
    guard number != 0 else { return "0" }
    let scale = pow(10, 4 - floor(log10(abs(number))))
    let rounded = (number * scale).rounded() / scale
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }
}
