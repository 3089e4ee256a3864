import Foundation
import Music
import NIOHTTP1
import NIOSSL
import Recording
import Rooms
import Signaling
import Synchronization
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct WebhookSenderTests {
  private static let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()

  private func delivery() -> WebhookDelivery {
    let event = ServiceEvent(.takeReady, room: nil, at: MonotonicClock.wall, .members(["n": 1]))
    return WebhookDelivery(NumberedEvent(id: EventID(epoch: "E", number: 1), event: event))
  }

  /// One attempt to deliver to `url`, whose host has `addresses`.
  private func send(
    to url: String, addresses: [String] = ["127.0.0.1"], allowed: Bool = true, trust: String? = nil,
    lookups: @escaping @Sendable () -> Void = {}
  ) async throws -> WebhookOutcome {
    let endpoints = try WebhookEndpoint.list("\(url) \(WebhookSenderTests.secret)")
    let sender = WebhookSender(
      configuration: WebhookConfiguration(endpoints: endpoints, allowsPrivate: allowed, trust: trust),
      resolver: WebhookResolver { _ in
        lookups()
        return addresses
      }, agent: "jamjar/test")
    return await sender.send(delivery(), to: try #require(endpoints.first), at: MonotonicClock.wall)
  }

  @Test func connectsToTheAddressThatWasCheckedAndAsksForItOnce() async throws {
    try await WebhookReceiver.with { receiver async throws in
      let count = Mutex(0)
      // No name server knows this name: only the address that was looked up here leads anywhere.
      let outcome = try await send(to: "http://rebound.invalid:\(receiver.port)/in?x=1") {
        count.withLock { $0 += 1 }
      }
      #expect(outcome == .delivered)
      #expect(count.withLock { $0 } == 1)
      let request = try #require(receiver.all.first)
      #expect(request.uri == "/in?x=1")
      #expect(request.headers.first(name: "host") == "rebound.invalid:\(receiver.port)")
      #expect(request.headers.first(name: "content-type") == "application/json")
    }
  }

  @Test func sendsNothingToPrivateAddressesUnlessAllowed() async throws {
    try await WebhookReceiver.with { receiver async throws in
      // A name that leads home, also among others that are well (what rebinding tries).
      for addresses in [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["169.254.169.254"]] {
        let outcome = try await send(
          to: "https://home.invalid:\(receiver.port)/", addresses: addresses, allowed: false)
        guard case .failed(let reason) = outcome else {
          Issue.record("\(outcome)")
          return
        }
        #expect(reason.contains("no address of the internet"))
      }
      // The number itself, in the forms that only some readers take for a number.
      for host in ["127.0.0.1", "[::1]", "[::ffff:7f00:1]"] {
        let outcome = try await send(to: "https://\(host):\(receiver.port)/", allowed: false)
        #expect(outcome != .delivered)
      }
      #expect(receiver.all.isEmpty)
      #expect(await WebhookResolver.systemAddresses("2130706433").allSatisfy { $0 == "127.0.0.1" })
    }
  }

  @Test func refusesAtTheStartWhatCanBeSeenToBePrivate() throws {
    for url in ["http://hooks.example", "https://127.0.0.1", "https://[fd00::1]", "https://169.254.169.254/latest"] {
      let endpoints = try WebhookEndpoint.list("\(url) \(WebhookSenderTests.secret)")
      #expect(throws: ConfigurationProblem.self) { try WebhookConfiguration(endpoints: endpoints).check() }
      #expect(throws: Never.self) { try WebhookConfiguration(endpoints: endpoints, allowsPrivate: true).check() }
    }
  }

  @Test func checksTheCertificateForTheName() async throws {
    let files = try DataFolder()
    try files.write(HookCertificate.certificate, "certificate.pem")
    let tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(HookCertificate.certificate.utf8)).map {
        .certificate($0)
      },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(HookCertificate.key.utf8), format: .pem)))
    let trust = files.path + "/certificate.pem"
    try await WebhookReceiver.with(tls: try NIOSSLContext(configuration: tls)) { receiver async throws in
      #expect(try await send(to: "https://hooks.test:\(receiver.port)/", trust: trust) == .delivered)
      // Another name at the same address, and nobody who vouches for it.
      for (host, trust) in [("elsewhere.invalid", trust), ("hooks.test", nil)] {
        let outcome = try await send(to: "https://\(host):\(receiver.port)/", trust: trust)
        guard case .failed = outcome else {
          Issue.record("\(host): \(outcome)")
          continue
        }
      }
      #expect(receiver.all.count == 1)
    }
  }

  @Test func followsNoRedirect() async throws {
    try await WebhookReceiver.with { other async throws in
      let location = "http://127.0.0.1:\(other.port)/"
      try await WebhookReceiver.with(
        reply: { _, _ in .init(status: 307, headers: [("Location", location)]) }
      ) { receiver async throws in
        let outcome = try await send(to: "http://a.invalid:\(receiver.port)/")
        #expect(outcome == .answered(status: 307, retryAfter: nil))
      }
      #expect(other.all.isEmpty)
    }
  }

  @Test func readsNoMoreOfAnAnswerThanItNeeds() async throws {
    let long = String(repeating: "x", count: 4 << 20)
    try await WebhookReceiver.with(reply: { _, _ in .init(status: 200, body: long) }) { receiver async throws in
      #expect(try await send(to: "http://a.invalid:\(receiver.port)/") == .delivered)
    }
    try await WebhookReceiver.with(
      reply: { _, _ in .init(status: 503, headers: [("Retry-After", "17")], body: long) }
    ) { receiver async throws in
      #expect(try await send(to: "http://a.invalid:\(receiver.port)/") == .answered(status: 503, retryAfter: 17))
    }
  }

  @Test func saysWhyNobodyAnswered() async throws {
    // A port that was closed a moment ago.
    let port = Mutex(0)
    try await WebhookReceiver.with { receiver async throws in port.withLock { $0 = receiver.port } }
    guard case .failed = try await send(to: "http://a.invalid:\(port.withLock { $0 })/") else {
      Issue.record("somebody answered")
      return
    }
    #expect(try await send(to: "http://a.invalid/", addresses: []) == .failed("the host has no address"))
  }
}

extension WebhookResolver {
  fileprivate static func systemAddresses(_ host: String) async -> [String] {
    (try? await system.addresses(host)) ?? []
  }
}
