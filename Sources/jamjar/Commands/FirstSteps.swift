import Server

/// What to do after the first start of a service.
enum FirstSteps {
  /// One sentence for the log.
  static func sentence(_ server: ServerConfiguration) -> String {
    let invite = "jamjar invite ROOM NAME makes a link for a musician"
    guard !server.isLoopback else {
      return "This is the first start. Open the page and play; so far only this machine can reach it. "
        + "For others, docs/tonight.md has three roads, jamjar doctor says what is missing, and \(invite)"
    }
    return "This is the first start. Next: \(invite); jamjar doctor checks certificate, ports and network"
  }
}
