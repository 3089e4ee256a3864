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
}
