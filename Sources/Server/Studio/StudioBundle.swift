/// The studio's modules in few files: what every view needs in one, and one for each view.
///
/// The modules stay what they are, without a build step. This puts them one after the other, each in a function of its own
/// that returns what it exports, in an order in which everything is there when it is needed. It knows the few forms of
/// `import` and `export` that the studio uses, one a line; if a file has another, there is no bundle, and the modules are
/// served as they are (a test fails then).
struct StudioBundle {
  /// Bundles by name: "main.js", "room-door.js".
  private(set) var files: [String: String] = [:]
  /// The view modules with their bundles, by path: "room/door.js" is in "room-door.js".
  private(set) var views: [String: String] = [:]

  /// Why there is no bundle.
  struct Unfit: Error, CustomStringConvertible {
    var description: String
  }

  fileprivate struct Module {
    var imports: [(names: String, path: String)] = []
    var views: [String] = []
    var exports: [String] = []
    var body: [String] = []
  }

  private var modules: [String: Module] = [:]
  /// The modules in the order in which they are needed.
  private var order: [String] = []

  /// - Parameters:
  ///   - sources: the texts of modules by path: "base/main.js".
  ///   - main: the module that the page loads; the only one that may wait at its top level.
  /// - Throws: `Unfit`.
  init(_ sources: [String: String], main: String) throws(Unfit) {
    try read(main, of: sources, within: [])
    let entries = modules[main]?.views ?? []
    for view in entries { try read(view, of: sources, within: []) }
    let needs = entries.map { closure(of: $0) }
    var base = closure(of: main)
    // What two views share must be there once, because modules keep state.
    for path in order where needs.count(where: { $0.contains(path) }) > 1 { base.insert(path) }
    for (view, need) in zip(entries, needs) where !base.contains(view) {
      views[view] = view.split(separator: "/").joined(separator: "-")
      files[views[view] ?? view] = text(of: order.filter { need.contains($0) && !base.contains($0) }, after: base, view)
    }
    files["main.js"] = text(of: order.filter { base.contains($0) && $0 != main } + [main], after: [], main)
  }

  // MARK: Reading

  private mutating func read(_ path: String, of sources: [String: String], within above: [String]) throws(Unfit) {
    guard !above.contains(path) else { throw Unfit(description: "\(path) imports itself by \(above)") }
    guard modules[path] == nil else { return }
    guard let source = sources[path] else { throw Unfit(description: "there is no module \(path)") }
    var module = Module()
    var isComment = false
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
        guard !line.contains("import.meta") || StudioBundle.address(in: String(line)) != nil else {
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

  // MARK: Writing

  /// The module with everything that it imports.
  private func closure(of path: String) -> Set<String> {
    var found: Set = [path]
    for (_, needed) in modules[path]?.imports ?? [] { found.formUnion(closure(of: needed)) }
    return found
  }

  /// The variable that holds a module's exports.
  private func name(of path: String) -> String { "$\(order.firstIndex(of: path) ?? 0)" }

  private func text(of paths: [String], after others: Set<String>, _ entry: String) -> String {
    let needed = Set(paths.flatMap { modules[$0]?.imports.map(\.path) ?? [] }).intersection(others)
    var lines: [String] = []
    if !needed.isEmpty {
      lines.append("import { \(needed.map(name).sorted().joined(separator: ", ")) } from \"./main.js\";")
    }
    let isMain = others.isEmpty
    for path in paths {
      guard let module = modules[path] else { continue }
      let isEntry = isMain && path == entry
      if !isEntry { lines.append("const \(name(of: path)) = (() => {") }
      lines += module.imports.map { "const { \($0.names) } = \(name(of: $0.path));" }
      lines += module.body.map { addressed($0, of: path) }
      if !isEntry { lines.append("return { \(module.exports.joined(separator: ", ")) };\n})();") }
    }
    let given = isMain ? paths.filter { $0 != entry } : [entry]
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
        if let bundle = views[view] {
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
    guard line.hasPrefix("export ") else {
      if let (_, module) = StudioBundle.Module.view(in: String(line), of: path) { views.append(module) }
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
    guard let begin = line.firstRange(of: "import(\""),
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
