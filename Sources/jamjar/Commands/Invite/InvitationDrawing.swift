import ArgumentParser
import Foundation
import Glibc
import Server
import Signaling

/// How links are printed.
struct InvitationDrawing: ParsableArguments {
  @Flag(name: .customLong("no-qr"), help: "Print no QR codes on a terminal.") var noCode = false
  @Flag(name: .long, help: "Print the invitations as JSON.") var json = false

  /// Prints invitations with their links.
  /// - Parameter place: the address by which the service was asked.
  func show(_ items: [JSONObject], from place: String) {
    let items = items.map { item in
      var item = item
      // The drawing is for pages.
      item["qr"] = nil
      if let link = item["url"]?.string { item["url"] = .string(InvitationDrawing.securing(link, from: place)) }
      return item
    }
    guard !json else {
      let list: JSONValue = ["items": .array(items.map(JSONValue.object)), "next": .null]
      return print(list.prettyText)
    }
    for item in items {
      guard let link = item["url"]?.string else { continue }
      let isKept = item["id"]?.string != nil
      if isKept { Terminal.complain(InviteCommand.line(item)) }
      print(link)
      if let code = drawing(link) { print(code) }
    }
    for note in InvitationDrawing.notes(on: items) { Terminal.complain(note) }
  }

  /// A service behind a proxy may not know that it was asked over TLS; whoever asked does.
  private static func securing(_ link: String, from place: String) -> String {
    guard place.hasPrefix("https://"), link.hasPrefix("http://" + place.dropFirst("https://".count) + "/") else {
      return link
    }
    return "https" + link.dropFirst("http".count)
  }

  /// The code for a terminal that has room for it.
  private func drawing(_ link: String) -> String? {
    let isTerminal = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    // A screen has no stains: with the least correction the code is the smallest.
    guard !noCode, isTerminal, let code = QRCode(link, level: .low) else { return nil }
    let width = code.size + 2 * QRCode.quietZone
    if let columns = Screen.standard.width, columns < width {
      Terminal.complain("The terminal is too narrow for the QR code, which needs \(width) columns.")
      return nil
    }
    return code.terminalLines().joined(separator: "\n")
  }

  /// What the user should know about these links.
  private static func notes(on items: [JSONObject]) -> [String] {
    var notes: [String] = []
    let host = items.first?["url"]?.string.flatMap { URLComponents(string: $0)?.host }
    if let host, ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) {
      notes.append(
        "Only this machine can open this: start the service with --public-url, or name its address by --server.")
    }
    if items.contains(where: { $0["id"]?.string == nil }) {
      notes.append("The service has no keys: whoever has a room's address may come in, and nothing can be withdrawn.")
    }
    return notes
  }
}
