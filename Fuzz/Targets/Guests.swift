import Machines
import Music
import Signaling

/// The machines of bots, under a hostile server: the first byte chooses one, then texts, one a line.
extension FuzzTarget {
  static let guests = FuzzTarget("guests", longest: 8_192) { bytes in
    guard let name = DisplayName("Jamjar"), let room = RoomName("jam") else { return }
    let lines = bytes.dropFirst().split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    let videoRoom = JanusRoom(.videoRoom, room: "1234", display: "Jamjar", pin: "sesame")
    let audioBridge = JanusRoom(.audioBridge, room: "5678", display: "Jamjar")
    switch (bytes.first ?? 0) % 6 {
    case 0: try visit(JanusVideoRoom(videoRoom, limits: .foreign), lines)
    case 1: try visit(JanusAudioBridge(audioBridge, name: "mix of 5678", limits: .foreign), lines)
    case 2: try visit(NativeGuests(name: name, token: nil, limits: .foreign), lines)
    case 3: try visit(KurentoGuests(room: room, name: name, token: nil, limits: .foreign), lines)
    case let choice:
      let (path, words) = ("studio.example/default/jam", choice == 4 ? XirSysVocabulary.perch : .message)
      try visit(
        XirSysGuests(name: "Jamjar", path: path, vocabulary: words, prefix: "c", limits: .foreign), lines)
    }
  }

  /// Answers as the shell does, one invitation in three with a loss.
  private static func visit(_ machine: consuming some GuestMachine & ~Copyable, _ lines: [String]) throws {
    var machine = machine
    var now = MonotonicTime(nanoseconds: 0)
    var invitations = 0
    var outputs = 0
    machine.begin(at: now)
    for line in [""] + lines {
      now = now + .milliseconds(2_500)
      if !line.isEmpty { machine.handle(.text(line), at: now) }
      if let due = machine.deadline, due <= now { machine.advance(to: now) }
      while let output = machine.next() {
        outputs += 1
        // A text must not bring about an endless conversation.
        try promise(outputs <= 8_192 * (lines.count + 1), "a few texts made \(outputs) outputs")
        switch output {
        case .send(let text):
          try promise((try? JSONValue(parsing: text, limits: .received)) != nil, "a request is no JSON")
        case .invited(let key, _):
          invitations += 1
          machine.handle(invitations % 3 == 0 ? .lost(key) : .offer(key, sdp: "v=0\r\n"), at: now)
        case .offered(let key, _, _), .reoffered(let key, _):
          invitations += 1
          machine.handle(invitations % 3 == 0 ? .lost(key) : .answer(key, sdp: "v=0\r\n"), at: now)
        case .said(let key, let text):
          if let command = ChatCommand(text) { machine.handle(.say("\(command)"), at: now) }
          if text.isEmpty { machine.handle(.lost(key), at: now) }
        case .over: return
        case .joined, .answered, .candidate, .left, .lost: break
        }
      }
    }
    machine.handle(.leave, at: now)
    var isOver = false
    while let output = machine.next() {
      if case .over = output { isOver = true }
    }
    try promise(isOver, "a bot that leaves stays")
  }
}
