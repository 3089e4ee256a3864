import Server

/// Whether the service can listen, or does.
enum PortCheck {
  enum State: Hashable, Sendable {
    case free
    /// A Jamjar answers there.
    case jamjar
    case problem(ListeningProblem)
  }

  /// - Parameter what: "HTTP", "RTMP".
  static func finding(_ state: State, what: String, host: String, port: Int, isOptional: Bool = false) -> Finding {
    switch state {
    case .free: return Finding(.port, .ok, "Port \(port) of \(host) is free for \(what).")
    case .jamjar: return Finding(.port, .ok, "A service answers on port \(port) of \(host).")
    case .problem(let problem):
      return Finding(
        .port, isOptional ? .warning : .failure, "\(what): \(problem.reason).",
        remedy: problem.remedy.prefix(1).uppercased() + problem.remedy.dropFirst() + ".")
    }
  }
}

/// Whether browsers get at the page, and give it the microphone.
enum PageCheck {
  /// - Parameter url: how others reach the page, if it is known.
  static func finding(hasTLS: Bool, isLoopback: Bool, url: String?) -> Finding {
    if hasTLS { return Finding(.page, .ok, "The service has a certificate of its own, for pages with a microphone.") }
    if let url, url.hasPrefix("https://") {
      return Finding(.page, .ok, "The page is \(url), with TLS from a proxy before the service.")
    }
    if isLoopback {
      return Finding(
        .page, .warning, "Only this machine can reach the service.",
        remedy:
          "For musicians elsewhere docs/tonight.md has three roads: a server with a name, or a laptop at home, with "
          + "forwarded ports or without.")
    }
    return Finding(
      .page, .failure, "The service has no certificate, and browsers give no microphone to pages without TLS.",
      remedy: "Give it one (--tls-certificate, --tls-key), or put a proxy with one before it (Caddy); docs/tonight.md.")
  }
}

/// Whether the address that others are given leads to the service.
enum ReachCheck {
  enum Outcome: Hashable, Sendable {
    case jamjar
    case otherProgram
    /// A service without keys that may not be called by this name.
    case foreignName
    case silence
  }

  /// - Parameter isRunning: true if the service answers on its own port of this machine.
  static func finding(_ outcome: Outcome, url: String, isRunning: Bool) -> Finding {
    switch outcome {
    case .jamjar: return Finding(.reach, .ok, "A service answers at \(url).")
    case .otherProgram:
      return Finding(
        .reach, .failure, "Something else than Jamjar answers at \(url).",
        remedy: "Look where its name leads, where the router forwards its port, and what the proxy passes on.")
    case .foreignName:
      return Finding(
        .reach, .failure, "The service does not answer to the name in \(url).",
        remedy: "Without keys it answers to known names only: add this one with --host-names, or set keys.")
    case .silence where isRunning:
      return Finding(
        .reach, .warning, "\(url) does not answer, though the service runs here.",
        remedy:
          "Forward the port in the router to this machine, and open it in the firewall. Many routers do not lead their "
          + "own network back: try with a phone that is not in your Wi-Fi.")
    case .silence:
      return Finding(
        .reach, .unknown, "\(url) does not answer, and the service does not run here.",
        remedy: "Start it (jamjar serve), and look again.")
    }
  }
}
