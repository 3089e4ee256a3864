import Foundation
import Music
import Realtime
import Signaling
import Testing

@testable import Server

@Suite struct WebhookCoreTests {
  private let start = WallTime(milliseconds: 1_800_000_000_000)

  @Test func signsAsTheStandardsOwnExample() {
    // The example of the Standard Webhooks specification and of its reference libraries.
    let key = Array(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? Data())
    let header = WebhookSignature.header(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: "{\"test\": 2432232314}", keys: [key])
    #expect(header == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  }

  @Test func authenticatesAsRFC4231Says() {
    func hexadecimal(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let short = HMAC.sha256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(hexadecimal(short) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let long = HMAC.sha256(
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), key: [UInt8](repeating: 0xAA, count: 131))
    #expect(hexadecimal(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test func pausesDoubleUpToAnHourWithAQuarterOfChance() {
    #expect(WebhookSchedule().pause(after: 1, chance: 0.5) == 5)
    #expect(WebhookSchedule().pause(after: 4, chance: 0.5) == 40)
    #expect(WebhookSchedule().pause(after: 4, chance: 0) == 30)
    #expect(WebhookSchedule().pause(after: 4, chance: 1) == 50)
    #expect(WebhookSchedule().pause(after: 1_000_000, chance: 0.5) == 3_600)
  }

  @Test func givesUpAfterADayAndSoonerWhatTheReceiverCannotTake() {
    func decide(_ outcome: WebhookOutcome, _ attempts: Int, after seconds: Double = 0) -> WebhookSchedule.Decision {
      WebhookSchedule().decide(
        after: outcome, attempts: attempts, created: start,
        now: start + .seconds(seconds), chance: 0.5)
    }
    #expect(decide(.delivered, 1) == .done)
    #expect(decide(.gone, 1) == .end)
    #expect(decide(.failed("x"), 40, after: 80_000) != .giveUp)
    #expect(decide(.failed("x"), 40, after: 86_000) == .giveUp)
    #expect(decide(.answered(status: 400, retryAfter: nil), 4) != .giveUp)
    #expect(decide(.answered(status: 400, retryAfter: nil), 5) == .giveUp)
    #expect(decide(.answered(status: 429, retryAfter: nil), 5) != .giveUp)
    #expect(decide(.answered(status: 302, retryAfter: nil), 5) != .giveUp)
    // What the answer asks for counts, up to the longest pause.
    #expect(
      decide(.answered(status: 503, retryAfter: 100), 1) == .retry(start + .seconds(100)))
    #expect(
      decide(.answered(status: 503, retryAfter: .max), 1) == .retry(start + .seconds(3_600)))
    // With the mean pauses, this many attempts fit into the day.
    var (time, attempts) = (0.0, 1)
    while case .retry(let next) = decide(.failed("x"), attempts, after: time) {
      time = (next - start) / .seconds(1)
      attempts += 1
    }
    #expect(attempts == 33)
  }

  @Test func noDeliveryHoldsUpTheOthersForACentury() {
    #expect(WebhookSchedule.wait(until: start + .seconds(7), at: start) == .seconds(7))
    #expect(WebhookSchedule.wait(until: start, at: start + .seconds(7)) == .zero)
    #expect(WebhookSchedule.wait(until: WallTime(nanoseconds: .max), at: start) == .seconds(4_500))
    #expect(WebhookSchedule.wait(until: WallTime(nanoseconds: .min), at: start) == .zero)
  }

  @Test func aDeliveryWithATimeThatCannotBeIsGivenUpOrTriedAgain() {
    let (first, last) = (WallTime(nanoseconds: .min), WallTime(nanoseconds: .max))
    func decide(created: WallTime, now: WallTime) -> WebhookSchedule.Decision {
      WebhookSchedule().decide(after: .failed("x"), attempts: 1, created: created, now: now, chance: 0.5)
    }
    #expect(decide(created: first, now: start) == .giveUp)
    #expect(decide(created: last, now: start) == .retry(start + .seconds(5)))
    #expect(decide(created: last, now: last) == .retry(last))
  }

  @Test(arguments: [
    "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "100.127.255.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.0.8", "192.0.2.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
    "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "fe80::1", "fec0::1",
    "fc00::1", "fd12:3456::1", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "100::1",
    "3fff::1", "5f00::1",
  ])
  func doesNotCallAddressesThatAreNotOfTheInternet(_ text: String) throws {
    #expect(!WebhookAddress.isPublic(try #require(IPAddress(parsing: text))))
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.0.3.1", "198.17.0.1",
    "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888",
  ])
  func callsAddressesOfTheInternet(_ text: String) throws {
    #expect(WebhookAddress.isPublic(try #require(IPAddress(parsing: text))))
  }

  @Test func readsAddressesStrictly() throws {
    let url = try #require(WebhookURL("https://Hooks.Example.org/a/b?c=%41"))
    #expect(url.host == "hooks.example.org" && url.port == 443 && url.isSecure)
    #expect(url.text == "https://hooks.example.org:443/a/b?c=%41")
    #expect(url.origin == "https://hooks.example.org:443")
    #expect(WebhookURL("http://[2001:DB8::1]:8080")?.text == "http://[2001:db8::1]:8080/")
    #expect(WebhookURL("http://[2001:DB8::1]:8080")?.address != nil)
    #expect(WebhookURL("http://a?b")?.text == "http://a:80/?b")
    for text in [
      "", "https://", "ftp://a/", "//a/", "https://user@a/", "https://a:b@c/", "https://a/#f", "https://a:0/",
      "https://a:65536/", "https://a:+80/", "https://a:/", "https://[::1", "https://[::1]x/",
      "https://[fe80::1%25eth0]/",
      "https://a..b/", "https://.a/", "https://-a/", "https://a b/", "https://ä/", "https://a\\@b/", "https://a%2eb/",
      "https://[127.0.0.1]/", "HTTPS://a/", "https://a/\u{7F}", "https://" + String(repeating: "a", count: 3_000),
    ] {
      #expect(WebhookURL(text) == nil, "\(text)")
    }
  }

  @Test func readsEndpointsFromOneText() throws {
    let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()
    let text =
      "https://a.example/hook?key=very-secret \(secret)\nhttps://b.example \(secret) \(secret) take.ready,warning"
    let endpoints = try WebhookEndpoint.list(text)
    #expect(endpoints.map(\.url.host) == ["a.example", "b.example"])
    #expect(endpoints[0].kinds.contains(.takeReady) && endpoints[0].kinds.contains(.sessionEnded))
    #expect(!endpoints[0].kinds.contains(.roomJoined) && !endpoints[0].kinds.contains(.exportProgress))
    #expect(endpoints[1].kinds == [.takeReady, .warning] && endpoints[1].secrets.count == 2)
    #expect(endpoints[0].key != endpoints[1].key)
    let shown = WebhookEndpoint.redacted(text)
    #expect(!shown.contains("very-secret") && !shown.contains(secret))
    #expect(shown == "https://a.example:443/… (secret) https://b.example:443/… (secret) (secret) take.ready,warning")
    #expect(!"\(endpoints)".contains("[0, 1, 2"))
  }

  @Test(arguments: [
    "whsec_abc", "https://a.example", "https://a.example whsec_dG9vc2hvcnQ=", "https://a.example whsec_!!!",
    "https://user@a.example whsec_x", "https://a.example take.nothing",
  ])
  func saysWhatIsWrongWithEndpointsWithoutTheirSecrets(_ text: String) {
    #expect {
      _ = try WebhookEndpoint.list(text)
    } throws: { error in
      !"\(error)".contains("dG9vc2hvcnQ") && "\(error)".contains("webhook")
    }
  }

  @Test func aDeliverySurvivesItsFile() throws {
    let event = ServiceEvent(
      .takeEdited, room: try RoomName(checking: "Großer Keller"), at: start, .members(["text": "a\n\"b\"\u{1F3B5}"]))
    let delivery = WebhookDelivery(NumberedEvent(id: EventID(epoch: "E", number: 1), event: event))
    #expect(WebhookDelivery(file: delivery.file) == delivery)
    #expect(delivery.body.hasPrefix("{\"type\":\"take.edited\",\"timestamp\":\"2027-01-15T08:00:00.000Z\",\"data\":{"))
    for length in 0..<delivery.file.count { #expect(WebhookDelivery(file: Array(delivery.file.prefix(length))) == nil) }
  }
}
