import Machines
import Music
import Rooms
import Signaling
import Synchronization
import Testing

@testable import Server

/// Names and tokens of XirSys' users, in virtual time.
@Suite struct XirSysPlacesTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func key(_ name: String) throws -> XirSysPlaces.Key {
    XirSysPlaces.Key(room: try RoomName(checking: "take5"), name: name)
  }

  private func settled(_ key: XirSysPlaces.Key) -> XirSysPlaces {
    let places = XirSysPlaces()
    let (_, post) = AsyncStream.makeStream(of: XirSysEvent.self)
    places.settle(XirSysPlaces.Place(session: "s", post: post, address: "192.0.2.1"), at: key)
    return places
  }

  @Test func aTokenThatWasKeptTakesNoNameFromAnotherAddress() throws {
    let key = try key("anna")
    let places = settled(key)
    #expect(places.claim(key, from: "192.0.2.2", at: start) == .taken)
    #expect(places.claim(key, from: nil, at: start) == .taken)
    #expect(places.claim(try self.key("bob"), from: "192.0.2.2", at: start) == .free)
    // At the same address the later one replaces the former, and is left alone for a while.
    #expect(places.claim(key, from: "192.0.2.1", at: start) == .theirs(session: "s"))
    #expect(places.claim(key, from: "192.0.2.1", at: start + .seconds(9)) == .taken)
    #expect(places.claim(key, from: "192.0.2.1", at: start + .seconds(11)) == .theirs(session: "s"))
  }

  @Test func whoLostTheSocketComesBackFromAnywhere() throws {
    let key = try key("anna")
    let places = settled(key)
    places.unlink(key, session: "s")
    #expect(places.claim(key, from: "198.51.100.7", at: start) == .theirs(session: "s"))
    places.link(key, session: "s", from: "198.51.100.7")
    #expect(places.standing(of: key, from: "192.0.2.1", at: start) == .taken)
  }

  @Test func tokensInMassesTakeNobodyElsesAway() throws {
    let tickets = XirSysTickets { [start] in start }
    let channel = try XirSysChannel(domain: nil, application: nil, room: "take5")
    let name = try DisplayName(checking: "anna")
    let one = tickets.issue(channel, name, ident: "band", for: 1, to: "192.0.2.1")
    var many: [String] = []
    for _ in 0..<1_000 { many.append(tickets.issue(channel, name, ident: "band", for: 600, to: "192.0.2.2")) }
    #expect(tickets.redeem(one) != nil)
    #expect(tickets.redeem(one) == nil, "once")
    let held = many.count(where: { tickets.redeem($0) != nil })
    #expect(held == 256)
  }

  @Test func aTokenIsTooOldWhenItsTimeIsOver() throws {
    let clock = Mutex(start)
    let tickets = XirSysTickets { clock.withLock { $0 } }
    let channel = try XirSysChannel(domain: nil, application: nil, room: "take5")
    let token = tickets.issue(channel, try DisplayName(checking: "anna"), ident: "band", for: 60, to: nil)
    clock.withLock { $0 = start + .seconds(60) }
    #expect(tickets.redeem(token) == nil)
  }
}
