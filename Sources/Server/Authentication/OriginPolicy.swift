import HTTPTypes

/// Which web pages may talk to a service that stands open.
///
/// A browser carries every page's requests to loopback, and WebSockets know no same-origin rule; so without keys, a page
/// of somebody else could listen to a room. With keys every request brings its own proof, and any page may bring it.
struct OriginPolicy: Sendable {
  enum Mode: Hashable, Sendable {
    /// Keys protect the service.
    case anyPage
    /// Open on loopback: pages of this machine only, under a name of this machine (against DNS rebinding).
    case thisMachine
    /// Open by --insecure: pages that this service itself served, and pages of this machine.
    case ownPages
  }

  var mode: Mode

  /// Nil where the request may pass, else a sentence that says why not.
  func objection(to origin: String?, authority: String?) -> String? {
    guard mode != .anyPage else { return nil }
    let host = authority.flatMap(HostName.init(authority:))
    if mode == .thisMachine, let host, !host.isLoopback {
      return "this service stands open for this machine only, not for the host \"\(host.text.prefix(64))\"; "
        + "call it as localhost, or start it with keys"
    }
    guard let origin else { return nil }
    if isOwn(origin, host: host) { return nil }
    return "pages of \(origin.prefix(64)) may not use a service without keys; start it with keys"
  }

  private func isOwn(_ origin: String, host: HostName?) -> Bool {
    // A page that was opened from a file of this machine; no web server can send that origin.
    if origin == "file://" { return true }
    guard let scheme = origin.firstRange(of: "://"),
      let page = HostName(authority: String(origin[scheme.upperBound...]))
    else { return false }
    return page.isLoopback || (mode == .ownPages && page == host)
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  static let origin = HTTPField.Name("Origin") ?? .referer
}
