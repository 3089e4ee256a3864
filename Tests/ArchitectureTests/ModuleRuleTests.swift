import Foundation
import Testing

@Suite struct ModuleRuleTests {
  @Test func everyModuleImportsOnlyTheModulesBelowIt() throws {
    let ours = Set(ModuleRules.allowed.keys)
    for file in try SourceTree.files(below: "Sources") {
      guard let allowed = ModuleRules.allowed[file.module] else { continue }
      for name in file.imports where ours.contains(name) && name != file.module {
        #expect(allowed.contains(name), "\(file.path) imports \(name)")
      }
    }
  }

  @Test func domainAndMachinesImportNothing() throws {
    for module in ModuleRules.selfContained {
      let files = try SourceTree.files(below: "Sources/\(module)")
      #expect(!files.isEmpty)
      for file in files { #expect(file.imports.isEmpty, "\(file.path) imports \(file.imports)") }
    }
  }

  @Test func everyLibraryHasItsOwners() throws {
    for file in try SourceTree.files(below: "Sources") {
      for name in file.imports {
        guard let owners = ModuleRules.owners[name] else { continue }
        #expect(owners.contains(file.module), "\(file.path) imports \(name)")
      }
    }
  }

  @Test func pureFoldersHaveNoClockNoConcurrencyAndNoOutput() throws {
    for folder in ModuleRules.pureFolders {
      let files = try SourceTree.files(below: folder)
      #expect(!files.isEmpty, "\(folder) is empty")
      for file in files {
        let words = Set(file.code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        for word in ModuleRules.impureWords { #expect(!words.contains(word), "\(file.path) says \(word)") }
        #expect(!file.code.contains(".now"), "\(file.path) asks a clock")
      }
    }
  }

  @Test func onlyTheCommandLineReadsTheEnvironment() throws {
    for file in try SourceTree.files(below: "Sources") where file.module != "jamjar" {
      #expect(!file.code.contains("getenv("), "\(file.path)")
      #expect(!file.code.contains(".environment"), "\(file.path)")
    }
  }

  /// A service without a description of its own is printed with all that it holds, keys too (NamedService).
  @Test func everyServiceIsANamedOne() throws {
    for file in try SourceTree.files(below: "Sources") where !file.path.hasSuffix("/NamedService.swift") {
      for line in file.code.split(separator: "\n") where line.contains(": Service") || line.contains(", Service") {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        let isType = ["struct", "class", "actor", "enum", "extension"].contains { words.contains(Substring($0)) }
        #expect(!(isType && words.contains("Service")), "\(file.path): \(line)")
      }
    }
  }

  @Test func onlyTheCatalogSpeaksSQL() throws {
    for file in try SourceTree.files(below: "Sources") where file.module != "Catalog" {
      for phrase in ["SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM"] {
        #expect(!file.text.contains(phrase), "\(file.path) says \(phrase)")
      }
    }
  }

  /// Which clang module owns the fields of these types depends on what else was compiled before, so that their use
  /// built in one configuration and failed in another. CLinux has functions instead.
  @Test func noCodeNamesFieldsOfGlibcsTimesAndFileStatus() throws {
    let types: Set<String> = ["timespec", "timeval", "itimerspec", "stat"]
    for file in try SourceTree.files(below: "Sources") {
      let words = Set(file.code.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "(") }.map(String.init))
      for type in types { #expect(!words.contains { $0.hasPrefix(type + "(") }, "\(file.path) makes a \(type)") }
    }
  }

  @Test func noFileAndNoTypeHasANameThatSaysNothing() throws {
    for file in try SourceTree.files(below: "Sources") {
      let name = URL(filePath: file.path).deletingPathExtension().lastPathComponent
      for empty in ModuleRules.emptyNames {
        #expect(!name.hasSuffix(empty), "\(file.path)")
        #expect(!file.path.split(separator: "/").contains(Substring(empty)), "\(file.path)")
      }
    }
  }

  @Test func filesAreShortEnoughToReadInOneGo() throws {
    for file in try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tests") {
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 400, "\(file.path) has \(lines) lines")
    }
  }

  @Test func theContainerAndTheBootstrapInstallTheSamePackages() throws {
    let dockerfile = try String(contentsOf: SourceTree.root.appending(path: "docker/Dockerfile"), encoding: .utf8)
    let bootstrap = try String(contentsOf: SourceTree.root.appending(path: "script/bootstrap"), encoding: .utf8)
    #expect(dockerfile.contains("script/packages.txt"))
    #expect(bootstrap.contains("script/packages.txt"))
  }
}
