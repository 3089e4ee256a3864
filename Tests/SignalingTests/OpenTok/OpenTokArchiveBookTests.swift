import Foundation
import Music
import Testing

@testable import Signaling

/// What an application may want of an archive, and all archives of a service.
@Suite struct OpenTokArchiveBookTests {
  @Test func thePythonSDKSendsNulls() throws {
    let wish = try OpenTokArchiveRig.wish(
      #"""
      {"name":"take 1","sessionId":"1_MX","hasAudio":true,"hasVideo":false,"outputMode":"individual","resolution":null,
      "streamMode":"auto","multiArchiveTag":null,"maxBitrate":null,"layout":null}
      """#)
    #expect(wish.name == "take 1")
    #expect(wish.outputMode == .individual)
    #expect(wish.tag == nil)
  }

  @Test(arguments: [
    #"{"hasAudio":false,"hasVideo":false}"#, #"{"hasAudio":"false"}"#, #"{"outputMode":"both"}"#,
    #"{"outputMode":"individual","resolution":"640x480"}"#, #"{"outputMode":"individual","layout":{"type":"pip"}}"#,
    #"{"resolution":"641x480"}"#, #"{"maxBitrate":99999}"#, #"{"maxBitrate":"fast"}"#, #"{"streamMode":1}"#,
    #"{"quantizationParameter":14}"#, #"{"hasTranscription":true}"#, #"{"layout":{"type":"custom"}}"#,
    #"{"layout":{"type":"pip","stylesheet":"x"}}"#, #"{"layout":{"type":"pip","screenshareType":"pip"}}"#,
    #"{"layout":7}"#, #"{"hasAudio":7}"#,
  ])
  func whatCannotBeIsRefused(_ body: String) {
    #expect { _ = try OpenTokArchiveRig.wish(body) } throws: { ($0 as? OpenTokRefusal)?.status == 400 }
  }

  @Test func aNameHasALimit() {
    let name = String(repeating: "n", count: 256)
    #expect(throws: OpenTokRefusal.self) { try OpenTokArchiveRig.wish(#"{"name":"\#(name)"}"#) }
  }

  @Test(arguments: [#"{}"#, #"{"addStream":"a","removeStream":"b"}"#, #"{"addStream":7}"#])
  func aChangeNamesOneStream(_ body: String) throws {
    let object = try JSONValue(parsing: Array(body.utf8)).object ?? JSONObject()
    #expect { _ = try OpenTokArchiveChange(object) } throws: { ($0 as? OpenTokRefusal)?.status == 400 }
  }

  private func archive(
    _ number: Int, session: UInt64 = 1, tag: String? = nil, settings: OpenTokSessionID.Settings = .init()
  ) -> OpenTokArchive {
    var wish = OpenTokArchiveWish()
    wish.tag = tag
    wish.name = "\(number)"
    return OpenTokArchive(
      id: OpenTokArchive.newID(), session: OpenTokArchiveRig.session(settings, session), wish: wish,
      at: WallTime(milliseconds: 1_795_262_400_000 + Int64(number)))
  }

  @Test func aPageIsNewestFirstAndCountsAll() throws {
    var book = OpenTokArchiveBook()
    // Not in order, as after a restart.
    for number in [3, 0, 2, 1, 4] { book.put(archive(number, session: number == 2 ? 9 : 1)) }
    let project = try #require(OpenTokArchiveRig.project)
    let page = book.page(of: project, session: nil, offset: 1, count: 2)
    #expect(page.total == 5)
    let names = page.items.map(\.wish.name)
    #expect(names == ["3", "2"])
    let session = OpenTokArchiveRig.session(.init(), 9).description
    let own = book.page(of: project, session: session, offset: 0, count: 50)
    #expect(own.total == 1)
    let beyond = book.page(of: project, session: nil, offset: 99, count: 50)
    #expect(beyond.total == 5 && beyond.items.isEmpty)
    let other = try OpenTokProject(key: "7", secret: String(repeating: "t", count: 40))
    let foreign = book.page(of: other, session: session, offset: 0, count: 50)
    #expect(foreign.total == 0)
    let id = try #require(own.items.first?.id)
    #expect { _ = try book.find(id, of: other) } throws: { ($0 as? OpenTokRefusal)?.status == 404 }
  }

  @Test func oneArchiveAtATimeUnlessTagsTellThemApart() throws {
    var book = OpenTokArchiveBook()
    book.put(archive(1))
    let session = OpenTokArchiveRig.session()
    var wish = OpenTokArchiveWish()
    #expect { try book.check(wish, in: session) } throws: { ($0 as? OpenTokRefusal)?.status == 409 }
    wish.tag = "mix"
    try book.check(wish, in: session)
    book.put(archive(2, tag: "mix"))
    #expect { try book.check(wish, in: session) } throws: { ($0 as? OpenTokRefusal)?.code == 15_001 }
    // Others are not concerned.
    try book.check(wish, in: OpenTokArchiveRig.session(.init(), 5))
  }

  @Test func aRelayedSessionHasNoArchives() {
    let book = OpenTokArchiveBook()
    let relayed = OpenTokArchiveRig.session(.init(mode: .relayed))
    #expect { try book.check(OpenTokArchiveWish(), in: relayed) } throws: { ($0 as? OpenTokRefusal)?.code == 15_008 }
  }

  @Test func anArchiveIsWrittenAndReadAgain() throws {
    let archive = archive(1, tag: "mix")
    let read = try JSONDecoder().decode(OpenTokArchive.self, from: JSONEncoder().encode(archive))
    #expect(read == archive)
  }

  @Test func theSDKsFindWhatTheyNeed() throws {
    let json = archive(1).json(url: nil)
    #expect(json["status"] == "started")
    #expect(json["outputMode"] == "composed")
    #expect(json["partnerId"] == 46_000_001)
    #expect(json["createdAt"] == 1_795_262_400_001)
    #expect(json["url"] == .null)
    #expect(json["reason"] == "")
    let id = try #require(json["id"]?.string)
    #expect(OpenTokStreamID(id) != nil)
  }
}
