import Foundation
import Synchronization
import TestSupport
import Testing

@testable import jamjar

@Suite(.timeLimit(.minutes(1))) struct SupervisorTests {
  private func inbox() throws -> DatagramInbox {
    // Short enough for sockaddr_un.
    try DatagramInbox(path: "/tmp/jamjar-\(UUID().uuidString)")
  }

  private func request(_ environment: [String: String]) -> SupervisorRequest? {
    SupervisorRequest(environment: environment, process: 42)
  }

  @Test func messagesAreThoseOfTheManual() {
    #expect(SupervisorMessage.ready(port: 8080).text == "READY=1\nSTATUS=Listening on port 8080")
    #expect(SupervisorMessage.alive.text == "WATCHDOG=1")
    let stopping = SupervisorMessage.stopping(within: 40.5).text
    #expect(stopping.split(separator: "\n").contains("STOPPING=1"))
    #expect(stopping.hasSuffix("EXTEND_TIMEOUT_USEC=40500000"))
    #expect(SupervisorMessage.stopping(within: .infinity).text.hasSuffix("EXTEND_TIMEOUT_USEC=86400000000"))
  }

  @Test func aPathAndAnAbstractNameAreUnderstood() {
    #expect(request(["NOTIFY_SOCKET": "/run/notify"])?.address == Array("/run/notify".utf8))
    #expect(request(["NOTIFY_SOCKET": "@manager"])?.address == [0] + Array("manager".utf8))
  }

  @Test(arguments: ["", "/", "@", "vsock:2:1234", "notify", "/" + String(repeating: "a", count: 107)])
  func otherAddressesAreNone(name: String) {
    #expect(request(["NOTIFY_SOCKET": name]) == nil)
  }

  @Test func theWatchdogOfAnotherProcessIsNotOurs() {
    let given = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30000000"]
    #expect(request(given)?.patience == .seconds(30))
    #expect(request(given.merging(["WATCHDOG_PID": "42"]) { $1 })?.patience == .seconds(30))
    #expect(request(given.merging(["WATCHDOG_PID": "43"]) { $1 })?.patience == nil)
    #expect(request(given.merging(["WATCHDOG_USEC": "-1"]) { $1 })?.patience == nil)
    #expect(request(["NOTIFY_SOCKET": "/run/notify"])?.patience == nil)
  }

  @Test func messagesArriveAsDatagrams() async throws {
    let inbox = try inbox()
    defer { unlink(inbox.path) }
    let supervisor = try #require(Supervisor(environment: ["NOTIFY_SOCKET": inbox.path]))
    supervisor.notify(.ready(port: 1))
    supervisor.notify(.stopping(within: 1))
    var messages = inbox.messages.makeAsyncIterator()
    #expect(await messages.next() == SupervisorMessage.ready(port: 1).text)
    #expect(await messages.next() == SupervisorMessage.stopping(within: 1).text)
  }

  @Test func aManagerThatIsGoneHoldsNothingUp() throws {
    let supervisor = try #require(Supervisor(environment: ["NOTIFY_SOCKET": "/tmp/jamjar-\(UUID().uuidString)"]))
    for _ in 0..<1_000 { supervisor.notify(.alive) }
  }

  @Test func withoutAManagerThereIsNone() {
    #expect(Supervisor(environment: ["WATCHDOG_USEC": "1000"]) == nil)
  }

  @Test func onlyAServiceThatRespondsIsReportedAlive() async throws {
    let inbox = try inbox()
    defer { unlink(inbox.path) }
    let supervisor = try #require(Supervisor(environment: ["NOTIFY_SOCKET": inbox.path, "WATCHDOG_USEC": "2000"]))
    let pulses = Atomic<Int>(0)
    let (hanging, hangs) = AsyncStream<Void>.makeStream()
    let (silence, silent) = AsyncStream<Void>.makeStream()
    let keeping = Task {
      await supervisor.keepAlive {
        switch pulses.add(1, ordering: .relaxed).newValue {
        case 1, 3: return
        case 2: throw CancellationError()
        default:
          hangs.finish()
          // Until the test cancels it.
          for await _ in silence {}
          throw CancellationError()
        }
      }
    }
    for await _ in hanging {}
    // The fourth pulse has begun, so whatever the first three had to say is sent.
    supervisor.notify(.ready(port: 1))
    inbox.close()
    var texts: [String] = []
    for await text in inbox.messages { texts.append(text) }
    #expect(texts == ["WATCHDOG=1", "WATCHDOG=1", SupervisorMessage.ready(port: 1).text])
    keeping.cancel()
    await keeping.value
    silent.finish()
  }
}
