import Catalog
import Client
import Configuration
import Foundation
import Server
import SystemPackage

/// Reads settings one by one and collects all problems, so that they are reported together.
struct SettingsReader {
  private let reader: ConfigReader
  private(set) var problems: [String] = []
  /// The explicit settings, for `jamjar config show`.
  private(set) var found: [(key: Settings.Key, value: String)] = []
  /// The same with the secrets, by their names.
  private(set) var values: [String: String] = [:]

  /// Command line first, then the environment, then the file.
  /// - Throws: if the file cannot be read or is not a JSON object.
  init(_ options: SettingsOptions) async throws {
    var providers: [any ConfigProvider] = [
      InMemoryProvider(name: "command line", values: options.given),
      EnvironmentVariablesProvider().prefixKeys(with: ConfigKey(["jamjar"])),
    ]
    let path = options.config ?? ProcessInfo.processInfo.environment["JAMJAR_CONFIG"]
    if let path { providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(path))) }
    reader = ConfigReader(providers: providers)
  }

  /// Reads what another process of ours has read, and nothing else.
  /// - Parameter values: by the names of the settings.
  init(values: [String: String]) {
    let pairs = values.map { (AbsoluteConfigKey([$0.key]), ConfigValue(.string($0.value), isSecret: true)) }
    let provider = InMemoryProvider(name: "service", values: Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    reader = ConfigReader(providers: [provider])
  }

  mutating func text(_ key: Settings.Key) -> String? {
    guard let value = raw(key) else { return nil }
    found.append((key, shown(value, of: key)))
    values[key.rawValue] = value
    return value
  }

  /// True if the setting has a value in any source.
  func isSet(_ key: Settings.Key) -> Bool { raw(key) != nil }

  /// The value as text, whatever its type in the source; list items are joined by spaces.
  private func raw(_ key: Settings.Key) -> String? {
    let name = ConfigKey([key.rawValue])
    if let text = reader.string(forKey: name, isSecret: key.isSecret) { return text }
    if let whole = reader.int(forKey: name) { return String(whole) }
    if let number = reader.double(forKey: name) { return String(number) }
    if let flag = reader.bool(forKey: name) { return String(flag) }
    return reader.stringArray(forKey: name, isSecret: key.isSecret)?.joined(separator: " ")
  }

  /// The part of a value that may be shown: addresses of webhooks and methods, and nothing of other secrets.
  private func shown(_ value: String, of key: Settings.Key) -> String {
    guard key.isSecret else { return value }
    return switch key {
    case .webhooks: WebhookEndpoint.redacted(value)
    case .methods: MethodConfiguration.redacted(value)
    case .catalog: (try? PostgreSQLAddress(value))?.place ?? "(no address)"
    default: "(secret)"
    }
  }

  mutating func whole(_ key: Settings.Key, in range: ClosedRange<Int>, default standard: Int) -> Int {
    guard let text = text(key) else { return standard }
    guard let value = Int(text), range.contains(value) else {
      problem(key, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
      return standard
    }
    return value
  }

  /// Reads a number of bytes, in multiples of 1,024 with K, M, G or T; nil if it is not set.
  mutating func bytes(_ key: Settings.Key) -> Int64? {
    guard let text = text(key) else { return nil }
    let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.uppercased().last.flatMap { units[$0] }
    let number = Int64(unit == nil ? text : String(text.dropLast()))
    guard let number, number > 0, case (let bytes, false) = number.multipliedReportingOverflow(by: unit ?? 1) else {
      problem(key, text, "bytes, or a whole number with K, M, G or T: 20G")
      return nil
    }
    return bytes
  }

  mutating func seconds(_ key: Settings.Key, in range: ClosedRange<Double>, default standard: Double) -> Double {
    guard let text = text(key) else { return standard }
    guard let value = Double(text), range.contains(value) else {
      problem(key, text, "seconds from \(range.lowerBound) to \(range.upperBound)")
      return standard
    }
    return value
  }

  mutating func flag(_ key: Settings.Key, default standard: Bool = false) -> Bool {
    guard let text = text(key) else { return standard }
    switch text.lowercased() {
    case "true", "yes", "1", "on": return true
    case "false", "no", "0", "off": return false
    default:
      problem(key, text, "true or false")
      return standard
    }
  }

  mutating func choice<Choice>(_ key: Settings.Key, of choices: [(String, Choice)], default standard: Choice) -> Choice
  {
    guard let text = text(key) else { return standard }
    if let match = choices.first(where: { $0.0 == text.lowercased() }) { return match.1 }
    problem(key, text, choices.map(\.0).joined(separator: ", "))
    return standard
  }

  mutating func problem(_ key: Settings.Key, _ value: String, _ permitted: String) {
    let shown = key.isSecret ? "a value" : "\"\(value)\""
    problems.append("\(key.rawValue) (--\(key.rawValue), \(key.variable)) is \(shown); permitted: \(permitted)")
  }

  /// Scheme and host of an address, without a slash at the end; nil if it is not set.
  mutating func address(_ key: Settings.Key) -> String? {
    guard let text = text(key) else { return nil }
    guard let address = try? ServerAddress(text, field: key.rawValue) else {
      problem(key, text, "http://HOST[:PORT] or https://HOST[:PORT], such as https://band.example")
      return nil
    }
    return address.place
  }

  /// The path of a file of certificates that can be read; nil if it is not set.
  mutating func certificates(_ key: Settings.Key) -> String? {
    guard let path = text(key), !path.isEmpty else { return nil }
    do throws(TrustFileProblem) {
      try ServiceEndpoint(host: "", port: 0, isSecure: true, trust: path).checkTrust()
      return path
    } catch {
      problem("\(key.rawValue) (--\(key.rawValue), \(key.variable)): \(error)")
      return nil
    }
  }

  /// The place of the index of a data folder.
  mutating func catalog(of data: String) -> CatalogPlace {
    do {
      return try CatalogPlace(text(.catalog), data: data)
    } catch {
      problem(error.description)
      return .file("\(data)/\(CatalogPlace.fileName)")
    }
  }

  mutating func problem(_ sentence: String) {
    problems.append(sentence)
  }
}
