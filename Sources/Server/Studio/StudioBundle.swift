/// The studio's modules in few files: what every view needs in one, one for each module that is loaded later (the views, and
/// what they load themselves), and one for each set of these that shares more than a little.
///
/// The modules stay what they are, without a build step. This puts them one after the other, each in a function of its own
/// that returns what it exports, in an order in which everything is there when it is needed. It knows the few forms of
/// `import` and `export` that the studio uses, one a line; if a file has another, there is no bundle, and the modules are
/// served as they are (a test fails then).
struct StudioBundle {
  /// Bundles by name: "main.js", "room-door.js", "shared-1.js".
  private(set) var files: [String: String] = [:]
  /// The modules that are loaded later, by path: "room/door.js" is in "room-door.js", which needs "shared-1.js".
  private(set) var views: [String: View] = [:]

  /// A module that is loaded later.
  struct View {
    /// The bundle that it is in.
    var file: String
    /// The bundles that have to be there, without "main.js": its own first.
    var needed: [String]
  }

  /// Why there is no bundle.
  struct Unfit: Error, CustomStringConvertible {
    var description: String
  }

  fileprivate struct Module {
    var imports: [(names: String, path: String)] = []
    var views: [String] = []
    var exports: [String] = []
    var body: [String] = []
    /// False if no line of the body loads a view or has an address: looking at each costs more than all the rest.
    var hasAddresses = false

    var size: Int { body.reduce(0) { $0 + $1.utf8.count } }
  }

  private static let main = "main.js"
  /// What several views share is no file of its own below so many bytes of text: a request costs more.
  private static let least = 4_096

  private var modules: [String: Module] = [:]
  /// The modules in the order in which they are needed.
  private var order: [String] = []
  /// The bundle of each module.
  private var places: [String: String] = [:]

  /// - Parameters:
  ///   - sources: the texts of modules by path: "base/main.js".
  ///   - main: the module that the page loads; the only one that may wait at its top level.
  /// - Throws: `Unfit`.
  init(_ sources: [String: String], main: String) throws(Unfit) {
    try read(main, of: sources, within: [])
    var entries: [String] = []
    var found = order.flatMap { modules[$0]?.views ?? [] }
    while let entry = found.popLast() {
      guard !entries.contains(entry) else { continue }
      entries.append(entry)
      let known = order.count
      try read(entry, of: sources, within: [])
      found += order[known...].flatMap { modules[$0]?.views ?? [] }
    }
    place(main, entries.sorted())
    for entry in entries { views[entry] = places[entry].map { View(file: $0, needed: needed(by: $0)) } }
    for file in Set(places.values) { files[file] = text(of: order.filter { places[$0] == file }, as: file, main) }
  }

  // MARK: Reading

  private mutating func read(_ path: String, of sources: [String: String], within above: [String]) throws(Unfit) {
    guard !above.contains(path) else { throw Unfit(description: "\(path) imports itself by \(above)") }
    guard modules[path] == nil else { return }
    guard let source = sources[path] else { throw Unfit(description: "there is no module \(path)") }
    var module = Module()
    var isComment = false
    module.hasAddresses = source.contains("import(\"") || source.contains("import.meta")
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      if isComment || text.hasPrefix("/**") {
        isComment = !line.hasSuffix("*/")
        // Code behind a comment would be lost.
        if text.contains("*/"), isComment { throw Unfit(description: "\(path): \(line)") }
      } else if text.hasPrefix("//") || text.isEmpty {
        continue
      } else if line.hasPrefix("import ") {
        module.imports.append(try StudioBundle.reading(line, in: path))
      } else {
        if module.hasAddresses, line.contains("import.meta"), StudioBundle.address(in: String(line)) == nil {
          throw Unfit(description: "\(path): \(line)")
        }
        try module.add(line, in: path)
      }
    }
    for (_, needed) in module.imports { try read(needed, of: sources, within: above + [path]) }
    modules[path] = module
    order.append(path)
  }

  /// Reads `import { a, b as c } from "./d.js";`.
  private static func reading(_ line: Substring, in path: String) throws(Unfit) -> (names: String, path: String) {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == ";", parts[0].hasPrefix("import { "), parts[0].hasSuffix(" } from ") else {
      throw Unfit(description: "\(path): \(line)")
    }
    let names = parts[0].dropFirst("import { ".count).dropLast(" } from ".count).split(separator: ",").map {
      let words = $0.split(separator: " ")
      return words.count == 3 ? "\(words[0]): \(words[2])" : "\(words.first ?? "")"
    }
    return (names.joined(separator: ", "), resolve(String(parts[1]), from: path))
  }

  /// The path of a module that another names: "../base/dom.js" in "room/door.js" is "base/dom.js".
  static func resolve(_ name: String, from path: String) -> String {
    var pieces = path.split(separator: "/").dropLast()
    for piece in name.split(separator: "/") where piece != "." {
      if piece == ".." { pieces = pieces.dropLast() } else { pieces.append(piece) }
    }
    return pieces.joined(separator: "/")
  }

  // MARK: Placing

  /// Gives each module its bundle.
  private mutating func place(_ main: String, _ entries: [String]) {
    for path in closure(of: main) { places[path] = StudioBundle.main }
    let needs = entries.map { ($0, closure(of: $0)) }
    var groups: [[String]: [String]] = [:]
    for path in order where places[path] == nil {
      groups[needs.filter { $0.1.contains(path) }.map(\.0), default: []].append(path)
    }
    // What more views need comes first: only that can be imported by what fewer need.
    let sorted = groups.sorted { ($1.key.count, $0.key.joined()) < ($0.key.count, $1.key.joined()) }
    var shared: [(users: [String], file: String)] = []
    for (users, paths) in sorted {
      var file = "shared-\(shared.count + 1).js"
      if users.count == 1, let view = users.first {
        file = view.split(separator: "/").joined(separator: "-")
      } else if paths.reduce(0, { $0 + (modules[$1]?.size ?? 0) }) < StudioBundle.least,
        let known = home(of: paths, for: users, among: shared)
      {
        file = known
      } else {
        shared.append((users, file))
      }
      for path in paths { places[path] = file }
    }
  }

  /// The bundle that a few small modules join: all their users have it, and it has all that they import or "main.js" has.
  private func home(of paths: [String], for users: [String], among shared: [(users: [String], file: String)]) -> String?
  {
    let imports = Set(paths.flatMap { modules[$0]?.imports.map(\.path) ?? [] }).subtracting(paths)
    let fitting = shared.filter { Set($0.users).isSuperset(of: users) }.sorted { $0.users.count < $1.users.count }
    return (fitting.map(\.file) + [StudioBundle.main]).first { file in
      imports.allSatisfy { places[$0] == StudioBundle.main || places[$0] == file }
    }
  }

  /// The module with everything that it imports.
  private func closure(of path: String) -> Set<String> {
    var found: Set = [path]
    for (_, needed) in modules[path]?.imports ?? [] { found.formUnion(closure(of: needed)) }
    return found
  }

  /// A bundle and those that it imports, without "main.js".
  private func needed(by file: String) -> [String] {
    guard file != StudioBundle.main else { return [] }
    var found = [file]
    for path in order where places[path] == file {
      for (_, imported) in modules[path]?.imports ?? [] {
        guard let other = places[imported], !found.contains(other) else { continue }
        found += needed(by: other).filter { !found.contains($0) }
      }
    }
    return found
  }

  // MARK: Writing

  /// The variable that holds a module's exports.
  private func name(of path: String) -> String { "$\(order.firstIndex(of: path) ?? 0)" }

  private func text(of paths: [String], as file: String, _ main: String) -> String {
    let imported = Set(paths.flatMap { modules[$0]?.imports.map(\.path) ?? [] }).subtracting(paths)
    var lines = Dictionary(grouping: imported) { places[$0] ?? "" }.sorted { $0.key < $1.key }.map { other, paths in
      "import { \(paths.map(name).sorted().joined(separator: ", ")) } from \"./\(other)\";"
    }
    // The page's own module comes last and exports nothing.
    let others = paths.filter { $0 != main }
    for path in others + paths.filter({ $0 == main }) {
      guard let module = modules[path] else { continue }
      if path != main { lines.append("const \(name(of: path)) = (() => {") }
      lines += module.imports.map { "const { \($0.names) } = \(name(of: $0.path));" }
      lines += module.hasAddresses ? module.body.map { addressed($0, of: path) } : module.body
      if path != main { lines.append("return { \(module.exports.joined(separator: ", ")) };\n})();") }
    }
    let given = others.filter { path in
      views[path] != nil || modules.contains { places[$0.key] != file && $0.value.imports.contains { $0.path == path } }
    }
    return (lines + ["export { \(given.map(name).joined(separator: ", ")) };", ""]).joined(separator: "\n")
  }

  /// A line whose addresses hold in a bundle.
  private func addressed(_ line: String, of path: String) -> String {
    var line = line
    if let (name, address) = StudioBundle.address(in: line) {
      let moved = "new URL(\"../\(StudioBundle.resolve(name, from: path))\", import.meta.url)"
      line = StudioBundle.replacing(address, in: line, by: moved)
    }
    for view in modules[path]?.views ?? [] {
      guard let (whole, module) = Module.view(in: line, of: path), module == view else { continue }
      let call =
        if let bundle = views[view]?.file, bundle != StudioBundle.main {
          "import(\"./\(bundle)\").then((all) => all.\(name(of: view)))"
        } else {
          // It is here already.
          "Promise.resolve(\(name(of: view)))"
        }
      line = StudioBundle.replacing(whole, in: line, by: call)
    }
    return line
  }

  /// The first `new URL("…", import.meta.url)` in a line, and the file that it names.
  private static func address(in line: String) -> (name: String, whole: String)? {
    guard let end = line.firstRange(of: "\", import.meta.url)"), let begin = line.firstRange(of: "new URL(\""),
      begin.upperBound <= end.lowerBound
    else { return nil }
    return (String(line[begin.upperBound..<end.lowerBound]), String(line[begin.lowerBound..<end.upperBound]))
  }

  private static func replacing(_ old: String, in line: String, by new: String) -> String {
    guard let range = line.firstRange(of: old) else { return line }
    return line.replacingCharacters(in: range, with: new)
  }
}

extension StudioBundle.Module {
  /// Adds a line of code without its `export`.
  fileprivate mutating func add(_ line: Substring, in path: String) throws(StudioBundle.Unfit) {
    if hasAddresses, let (_, module) = StudioBundle.Module.view(in: String(line), of: path) { views.append(module) }
    guard line.hasPrefix("export ") else {
      body.append(String(line))
      return
    }
    let rest = line.dropFirst("export ".count)
    let words = rest.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }
    if rest.hasPrefix("{ "), rest.hasSuffix(" };") {
      exports += words.map(String.init)
      return
    }
    let kinds: Set<Substring> = ["class", "function", "const", "async"]
    guard let first = words.first, kinds.contains(first), words.count > 2 || (words.count == 2 && first != "async"),
      let name = words.dropFirst(first == "async" ? 2 : 1).first
    else { throw StudioBundle.Unfit(description: "\(path): \(line)") }
    exports.append(String(name))
    body.append(String(rest))
  }

  /// The first `import("…")` in a line, and the module that it names.
  fileprivate static func view(in line: String, of path: String) -> (whole: String, module: String)? {
    // A type in a comment is none.
    guard let begin = line.firstRange(of: "import(\""), !line[..<begin.lowerBound].hasSuffix("{"),
      let end = line[begin.upperBound...].firstRange(of: "\")")
    else { return nil }
    let name = String(line[begin.upperBound..<end.lowerBound])
    return (String(line[begin.lowerBound..<end.upperBound]), StudioBundle.resolve(name, from: path))
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>, with new: String) -> String {
    self[..<range.lowerBound] + new + self[range.upperBound...]
  }
}
