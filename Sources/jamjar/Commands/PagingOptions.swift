import ArgumentParser
import Signaling

/// The requested part of a list.
struct PagingOptions: ParsableArguments {
  /// The items of one or more pages.
  struct List {
    var items: [JSONObject]
    var next: String?

    /// The JSON of a page as REST returns it.
    var json: JSONValue { ["items": .array(items.map { .object($0) }), "next": .optional(next)] }

    /// A note for users if the list continues.
    var footer: String {
      next == nil ? "" : "\n" + Screen.standard.painted("  There are more; --limit N shows more of them.", .faint)
    }
  }

  /// The largest page of REST and the index.
  private static let page = 200

  @Option(name: .long, help: "Maximum number of items, 1 to 1000000.")
  var limit = 50
  @Option(name: .long, help: "Continue after a previous list: the \"next\" of its JSON.")
  var cursor: String?

  func validate() throws {
    guard (1...1_000_000).contains(limit) else {
      throw ValidationError("--limit is \(limit); permitted: 1 to 1000000")
    }
  }

  /// Requests pages until there are enough items.
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
