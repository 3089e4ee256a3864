import Synchronization
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct LinkMailboxTests {
  @Test func tellsOnceItIsFullAndKeepsWhatItHas() async {
    let overflows = Mutex(0)
    let mailbox = LinkMailbox(capacity: 3) { overflows.withLock { $0 += 1 } }
    for number in 0..<5 { mailbox.put(.text("\(number)")) }
    mailbox.finish()
    var texts: [String] = []
    for await input in mailbox.inputs {
      if case .text(let text) = input { texts.append(text) }
    }
    #expect(texts == ["0", "1", "2"])
    #expect(overflows.withLock { $0 } == 2)
  }

  @Test func isBoundedInBytes() async {
    let overflows = Mutex(0)
    let mailbox = LinkMailbox(capacity: 100, bytes: 1_000) { overflows.withLock { $0 += 1 } }
    // A text of any length passes, and counts as half of the limit.
    mailbox.put(.send(String(repeating: "a", count: 5_000)))
    mailbox.put(.text(String(repeating: "b", count: 400)))
    mailbox.put(.send(String(repeating: "c", count: 101)))
    mailbox.put(.pingDue)
    #expect(overflows.withLock { $0 } == 1)
    var inputs = mailbox.inputs.makeAsyncIterator()
    for _ in 0..<2 { if let input = await inputs.next() { mailbox.took(input) } }
    mailbox.put(.send(String(repeating: "d", count: 500)))
    #expect(overflows.withLock { $0 } == 1)
  }
}
