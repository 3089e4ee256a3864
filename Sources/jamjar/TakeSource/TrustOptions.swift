import ArgumentParser
import Client
import Foundation
import Synchronization

/// Whom a command trusts that talks to a service over TLS.
struct TrustOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "PEM file of certificates to trust too: the service's own if it signs itself, or its authority's. (default: JAMJAR_CA_FILE)",
      valueName: "file"),
    completion: .file())
  var caFile: String?
  @Flag(name: .long, help: "Trust any certificate of the service: anybody in between can listen in and see the key.")
  var insecureTls = false

  /// The file of trusted certificates, if any.
  var file: String? {
    let file = caFile ?? ProcessInfo.processInfo.environment["JAMJAR_CA_FILE"]
    return file?.isEmpty == false ? file : nil
  }

  /// The address with these wishes; says once what is not checked.
  /// - Throws: `CommandFailure` for a file that is none of certificates.
  func applied(to address: ServerAddress) throws(CommandFailure) -> ServerAddress {
    let trusting = address.trusting(file, unverified: insecureTls)
    do throws(TrustFileProblem) {
      try trusting.endpoint.checkTrust()
    } catch {
      throw CommandFailure(ExitCodes.noInput, "\(caFile == nil ? "JAMJAR_CA_FILE" : "--ca-file"): \(error)")
    }
    if insecureTls, address.endpoint.isSecure, TrustOptions.isFirst() {
      Terminal.complain(
        "jamjar: warning: the certificate of \(address.place) is not checked (--insecure-tls); anybody in between can "
          + "listen in and see the key")
    }
    return trusting
  }

  private static let hasWarned = Mutex(false)

  /// True for the first caller.
  private static func isFirst() -> Bool {
    hasWarned.withLock { warned in
      defer { warned = true }
      return !warned
    }
  }
}
