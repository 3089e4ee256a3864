import ArgumentParser
import Music
import Signaling

/// The musicians of all takes, with all their names.
struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "List musicians, rename them, and merge several into one person.",
    discussion: "PERSON is an id or an unambiguous name; case does not matter.",
    subcommands: [List.self, Rename.self, Merge.self])

  static func show(_ person: JSONObject, json: Bool) {
    guard !json else { return print(JSONValue.object(person).prettyText) }
    let names = (person["names"]?.array ?? []).compactMap(\.string).joined(separator: ", ").printable
    let name = (person["name"]?.string ?? "").printable
    print("\(person["id"]?.string ?? ""): \(name); names \(names); revision \(person["revision"]?.integer ?? 0)")
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List people by name.",
      discussion: """
        QUERY finds people, newest first, by words, phrases in quotes and fields, for example takes:10.. name:ada. A \
        minus excludes: put such a query in quotes of the shell, or give it with --where. docs/query.md has the grammar.
        """)
    @OptionGroup var query: BookQueryArgument
    @OptionGroup var paging: PagingOptions
    @OptionGroup var shelf: TakeShelfOptions
    @OptionGroup var output: ListOutput

    func validate() throws { try output.check(.people) }

    func run() async throws {
      try await CommandFailure.orExit {
        let condition = try query.condition(of: .people)
        let book = try await shelf.book()
        let list = try await paging.gather { limit, cursor in
          try await book.people(condition, limit: limit, cursor: cursor)
        }
        try output.show(list, .people, none: "There is nobody.") { people in
          var table = TextTable([
            .whole("person", style: Style.faint), .text("name"), .text("names"), .number("merged"),
          ])
          for person in people {
            table.add(["id", "name", "names"].map { person.field($0) } + ["\(person["merged"]?.array?.count ?? 0)"])
          }
          return table.text
        }
      }
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Rename a person.")
    @Argument(help: "Id or name.") var person: String
    @Argument(help: "The new name; none restores the name they use themselves.") var name: String
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func validate() throws {
      do throws(NameError) { _ = try DisplayName(checking: name) } catch { throw ValidationError("\(error)") }
    }

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book(forReadingOnly: false)
        let id = try await book.findPerson(person)
        PeopleCommand.show(try await book.renamePerson(id, to: name == "none" ? nil : name), json: json)
      }
    }
  }

  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Merge others into one person.")
    @Argument(help: "Id or name of the person to keep.") var person: String
    @Argument(help: "Ids or names of the others.") var others: [String]
    @OptionGroup var shelf: TakeShelfOptions
    @Flag(name: .long, help: "Print JSON.") var json = false

    func run() async throws {
      try await CommandFailure.orExit {
        let book = try await shelf.book(forReadingOnly: false)
        var ids: [ParticipantID] = []
        for other in others { ids.append(try await book.findPerson(other)) }
        PeopleCommand.show(try await book.mergePeople(ids, into: try await book.findPerson(person)), json: json)
      }
    }
  }
}
