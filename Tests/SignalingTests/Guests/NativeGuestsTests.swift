import Machines
import Music
import Testing

@testable import Signaling

/// What ends a visit; the rest is played between two services (BotTests).
struct NativeGuestsTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func drain(_ guests: inout NativeGuests) -> (sent: [JSONObject], asked: [GuestOutput]) {
    var sent: [JSONObject] = []
    var asked: [GuestOutput] = []
    while let output = guests.next() {
      if case .send(let text) = output {
        if let object = (try? JSONValue(parsing: text))?.object { sent.append(object) }
      } else {
        asked.append(output)
      }
    }
    return (sent, asked)
  }

  @Test func refusedRoomsEndTheVisitWithTheirSentence() throws {
    var guests = NativeGuests(name: try DisplayName(checking: "Jamjar"), token: "secret")
    guests.begin(at: NativeGuestsTests.start)
    let join = try #require(drain(&guests).sent.first)
    #expect(join["method"] == "join")
    let parameters = join["params"]?.object
    #expect(parameters?["role"] == "listener")
    #expect(parameters?["token"] == "secret")
    let id = join["id"]?.text ?? ""
    guests.handle(
      .text(#"{"id":\#(id),"error":{"code":"forbidden","message":"the join token is for another room"}}"#),
      at: NativeGuestsTests.start)
    guard case .over(let fault) = drain(&guests).asked.last else {
      Issue.record("the visit goes on")
      return
    }
    #expect(fault.kind == .refused)
    #expect(fault.description.contains("the join token is for another room"))
  }

  /// A service that was killed finds the name of its bot taken, by the bot itself.
  @Test func aTakenNameIsFollowedByANumber() throws {
    var guests = NativeGuests(name: try DisplayName(checking: "Jamjar"), token: nil)
    guests.begin(at: NativeGuestsTests.start)
    var names: [String] = []
    while let join = drain(&guests).sent.first, join["method"] == "join" {
      names.append(join["params"]?.object?["name"]?.string ?? "")
      let id = join["id"]?.text ?? ""
      guests.handle(
        .text(#"{"id":\#(id),"error":{"code":"name-taken","message":"it is in cellar already"}}"#),
        at: NativeGuestsTests.start)
    }
    #expect(names == ["Jamjar", "Jamjar 2", "Jamjar 3", "Jamjar 4"])
    #expect(guests.deadline == nil, "then the visit is over")
  }

  /// Two services whose bots visit each other would hear their own guests again and again.
  @Test func whomAnotherBotBroughtIsNotFollowed() throws {
    var guests = NativeGuests(name: try DisplayName(checking: "Jamjar"), token: nil)
    guests.begin(at: NativeGuestsTests.start)
    _ = drain(&guests)
    let member = #""role":"musician","part":null,"published":true,"publishing":true,"connected":true,"consent":true"#
    guests.handle(
      .text(
        #"{"event":"joined","member":{"participant":{"id":"01JD0000000000000000000B0B","name":"Bob"},\#(member),"guest":true}}"#
      ), at: NativeGuestsTests.start)
    guests.handle(
      .text(
        #"{"event":"joined","member":{"participant":{"id":"01JD0000000000000000000ADA","name":"Ada"},\#(member)}}"#),
      at: NativeGuestsTests.start)
    let asked = drain(&guests).asked
    let ada: [GuestOutput] = [.invited(GuestKey("01JD0000000000000000000ADA"), name: "Ada")]
    #expect(asked == ada)
  }

  @Test func aServerOfAnotherProtocolIsNonsense() throws {
    var guests = NativeGuests(name: try DisplayName(checking: "Jamjar"), token: nil)
    guests.begin(at: NativeGuestsTests.start)
    _ = drain(&guests)
    guests.handle(.text(#"{"janus":"ack"}"#), at: NativeGuestsTests.start)
    guard case .over(let fault) = drain(&guests).asked.last else {
      Issue.record("the visit goes on")
      return
    }
    #expect(fault.kind == .nonsense)
  }
}
