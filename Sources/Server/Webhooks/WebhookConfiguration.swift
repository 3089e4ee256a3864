import Realtime

/// Who is told by webhooks, and where they may be.
package struct WebhookConfiguration: Sendable {
  package var endpoints: [WebhookEndpoint]
  /// Endpoints may be on this machine and in private networks, and may be reached without TLS.
  package var allowsPrivate: Bool
  /// Path of a PEM file with a certificate that is trusted beside the system's.
  package var trust: String?
  var schedule = WebhookSchedule()

  package init(endpoints: [WebhookEndpoint] = [], allowsPrivate: Bool = false, trust: String? = nil) {
    self.endpoints = endpoints
    self.allowsPrivate = allowsPrivate
    self.trust = trust
  }

  /// Refuses what can be seen to lead nowhere good; names are looked up, and checked, with every delivery.
  func check() throws(ConfigurationProblem) {
    for endpoint in endpoints where !allowsPrivate {
      guard endpoint.url.isSecure else {
        throw ConfigurationProblem(
          "the webhook \(endpoint.url.origin) has no TLS; use https://, or say --webhook-private where the network is "
            + "your own")
      }
      if let address = endpoint.url.address, !WebhookAddress.isPublic(address) {
        throw ConfigurationProblem(
          "the webhook \(endpoint.url.origin) is in a private network or on this machine; say --webhook-private where "
            + "that is meant")
      }
    }
  }
}
