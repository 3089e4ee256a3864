import ArgumentParser
import Signaling

/// How much of a list is wanted.
struct PagingOptions: ParsableArguments {
  /// What was gathered from one page or several.
  struct List {
    var items: [JSONObject]
    var next: String?

    /// As REST answers a page.
    var json: JSONValue { ["items": .array(items.map { .object($0) }), "next": .optional(next)] }

    /// What people should know of the rest of the list.
    var footer: String {
      next == nil ? "" : "\n" + Screen.standard.painted("  There are more; --limit N shows more of them.", .faint)
    }
  }

  /// Items that REST and the index give at once.
  private static let page = 200

  @Option(name: .long, help: "How many at most, 1 to 1000000.")
  var limit = 50
  @Option(name: .long, help: "Go on behind a former list: the \"next\" of its JSON.")
  var cursor: String?

  func validate() throws {
    guard (1...1_000_000).contains(limit) else {
      throw ValidationError("--limit is \(limit); permitted: 1 to 1000000")
    }
  }

  /// Asks for page after page until there are enough.
  func gather(_ page: (_ limit: Int, _ cursor: String?) async throws -> JSONValue) async throws -> List {
    var list = List(items: [], next: cursor)
    repeat {
      let answer = try await page(min(PagingOptions.page, limit - list.items.count), list.next).object
      list.items += answer?["items"]?.array?.compactMap(\.object) ?? []
      list.next = answer?["next"]?.string
    } while list.next != nil && list.items.count < limit
    return list
  }
}
