import Music
import Testing

@testable import Signaling

/// Calls and replies of the REST interfaces, and the store of version 3.
@Suite struct XirSysCallTests {
  @Test func aFormOfThePodIsTakenAsItStands() {
    let form = XirSysForm(parsing: "ident=band&secret=s3&room=default&username=Anna's iPhone 5+ü%20&secure=1&")
    #expect(form["username"] == "Anna's iPhone 5+ü%20")
    #expect(form["ident"] == "band" && form["secure"] == "1" && form.values.count == 5)
  }

  @Test func anEncodedFormIsDecoded() {
    let form = XirSysForm(parsing: "username=Anna%27s+iPhone+%C3%BC&secret=a%2Bb&empty=&=x&alone&&bad=%zz&half=%C3")
    #expect(form["username"] == "Anna's iPhone ü" && form["secret"] == "a+b" && form["empty"] == "")
    // What cannot be decoded was not encoded.
    #expect(form["bad"] == "%zz" && form["half"] == "%C3")
    #expect(form["alone"] == nil)
  }

  @Test func aFormHasItsLimit() {
    let text = (0..<1_000).map { "k\($0)=v" }.joined(separator: "&")
    #expect(XirSysForm(parsing: text).values.count <= 32)
  }

  @Test func bothFamiliesNameTheSameCalls() {
    #expect(XirSysCall(path: "getToken", method: "POST") == XirSysCall(path: "signal/token", method: "GET"))
    #expect(XirSysCall(path: "getIceServers", method: "POST") == XirSysCall(path: "ice", method: "POST"))
    #expect(XirSysCall(path: "addRoom", method: "POST") == XirSysCall(path: "room", method: "POST"))
    #expect(XirSysCall(path: "getToken", method: "GET") == nil)
    for (path, methods) in XirSysCall.paths {
      for method in methods { #expect(XirSysCall(path: path, method: method) != nil, "\(method) \(path)") }
    }
  }

  @Test func repliesHaveTheirEnvelopes() {
    #expect(XirSysReply.success(["token": "6f1c"]).text == #"{"s":200,"e":null,"d":{"token":"6f1c"}}"#)
    #expect(XirSysReply.failure(401, "Unauthorized").text == #"{"s":401,"e":"Unauthorized","d":null}"#)
    #expect(XirSysReply.error(.noNamespace).text == #"{"s":"error","v":"no_namespace"}"#)
    let servers = [
      ICEServer(urls: ["stun:a.example"]),
      ICEServer(
        urls: ["turn:a.example?transport=udp", "turn:a.example?transport=tcp"], username: "u", credential: "c"),
    ]
    let listed = XirSysReply.iceServers(servers).object?["iceServers"]?.array ?? []
    #expect(listed.map { $0.object?["url"]?.string?.prefix(4) } == ["stun", "turn", "turn"])
    #expect(listed.map { $0.object?["credential"]?.string } == [nil, "c", "c"])
    let byURLs = XirSysReply.iceServersByURLs(servers).object?["iceServers"]?.array ?? []
    #expect(byURLs.map { $0.object?["urls"]?.array?.count } == [1, 2])
  }

  @Test func everyRefusalIsAnError() {
    for code in RoomRefusal.Code.allCases {
      #expect(RoomRefusal(code, "x").xirsysStatus >= 300, "\(code)")
    }
  }

  @Test func theRoomIsTheLastPartOfAChannel() throws {
    let channel = try XirSysChannel(domain: "studio.example", application: nil, room: "take5")
    #expect(channel.path == "studio.example/default/take5" && channel.room.description == "take5")
    #expect(try XirSysChannel(path: "/a/b/").room.description == "b")
    #expect(try XirSysChannel(path: "").room.description == "default")
    let bound = try XirSysChannel(path: "x/default", bound: RoomName("attic"))
    #expect(bound.room.description == "attic" && bound.roomText == "default")
    #expect(throws: RoomRefusal.self) { try XirSysChannel(domain: nil, application: nil, room: ".hidden") }
    #expect(throws: RoomRefusal.self) { try XirSysChannel(path: String(repeating: "a/", count: 400)) }
  }

  @Test func aUserHasAName() throws {
    #expect(try XirSysChannel.user(" Anna's iPhone ").description == "Anna's iPhone")
    for wrong in [nil, "", "a/b", "a\u{0}b", String(repeating: "x", count: 65)] as [String?] {
      #expect(throws: RoomRefusal.self) { try XirSysChannel.user(wrong) }
    }
  }

  @Test func theStoreKeepsVersions() {
    var store = XirSysStore()
    #expect(store.read("k", in: "c") == XirSysReply.error(.notFound))
    _ = store.write(["tempo": 90], to: "k", in: "c", version: nil)
    #expect(store.read("k", in: "c") == XirSysReply.ok(["tempo": 90, "_ver_": 1]))
    #expect(store.write(["tempo": 91], to: "k", in: "c", version: 0) == XirSysReply.error(.versionConflict))
    #expect(store.write(["tempo": 91], to: "k", in: "c", version: 1) == XirSysReply.ok(["tempo": 91, "_ver_": 2]))
    #expect(store.keys(of: "c") == ["k"] && store.keys(of: "d") == [])
    #expect(store.remove("k", in: "c") == XirSysReply.ok(1))
    #expect(store.remove("k", in: "c") == XirSysReply.error(.notFound))
  }

  @Test func theStoreIsBounded() {
    var store = XirSysStore()
    #expect(
      store.write(.string(String(repeating: "x", count: 20_000)), to: "k", in: "c", version: nil)
        == XirSysReply.error(.locked))
    for number in 0..<300 { _ = store.write(1, to: "k\(number)", in: "c", version: nil) }
    #expect(store.keys(of: "c").count == 256)
  }
}
