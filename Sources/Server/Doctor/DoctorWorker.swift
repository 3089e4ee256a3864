/// The process that looks at the service: its questions wait for networks and disks, and none of its faults is the
/// service's.
package enum DoctorWorker {
  /// The word of the hidden command that runs it.
  package static let command = "doctor-worker"

  /// The first and only line to the process. Secrets are among the settings, so they stand nowhere else.
  package struct Order: Codable, Sendable {
    /// The values of the service's settings by their names: "port", "turn-secret".
    package var settings: [String: String]
    /// Path of a PEM file of certificates to trust too.
    package var trust: String?
    /// HOST[:PORT] of a time server; nil for the usual one.
    package var timeServer: String?

    package init(settings: [String: String], trust: String? = nil, timeServer: String? = nil) {
      self.settings = settings
      self.trust = trust
      self.timeServer = timeServer
    }
  }

  /// A line of the process.
  package enum Line: Codable, Sendable {
    case finding(Finding)
    /// The last: everything was looked at.
    case done
  }
}
