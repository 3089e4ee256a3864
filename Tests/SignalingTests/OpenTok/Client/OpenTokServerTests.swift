import Machines
import Music
import Testing

@testable import Signaling

@Suite struct OpenTokServerTests {
  // MARK: Coming in

  @Test func aClientConnectsReadsTheSessionAndFindsItself() throws {
    var rig = OpenTokRig()
    #expect(rig.connect().statuses == ["connect 200"])
    let created = rig.request("create", "/connection/\(OpenTokRig.connection)", token: "T1==x")
    #expect(created.entry?.token == "T1==x")
    #expect(created.entry?.session == rig.session.description)
    #expect(rig.welcome(.publisher, ["bob"], take: KurentoSample.take).statuses == ["t1 200"])
    let read = rig.request("read", "")
    // A status would end the request of the client library before its answer.
    #expect(read.statuses == [])
    #expect(read.frames.first?["TRANSACTION-ID"] == "t2")
    let content = try #require(read.messages.first?.content)
    let ids = content["connection"]?.array?.compactMap { $0.object?["id"]?.string }
    #expect(ids == [OpenTokRig.other("bob").id.description, OpenTokRig.connection])
    let mine = content["connection"]?.array?.last?.object?["permissions"]
    #expect(mine == ["publish", "subscribe", "signal"])
    let stream = content["stream"]?.array?.first?.object
    #expect(stream?["connection"]?.object?["id"]?.string == ids?.first)
    #expect(stream?["channel"] == [["id": "audio1", "type": "audio", "active": true]])
    let archive = content["archive"]?.array?.first?.object
    #expect(archive?["status"] == "started")
  }

  @Test func aRefusedTokenIsAStatusAndMayBeFollowedByAnother() throws {
    var rig = OpenTokRig()
    _ = rig.connect()
    _ = rig.request("create", "/connection/\(OpenTokRig.connection)", token: "T1==x")
    let refused = rig.feed(.refused(OperationNumber(1), .forbidden("no")))
    #expect(refused.statuses == ["t1 403"])
    #expect(refused.end == nil)
    let again = rig.request("create", "/connection/\(OpenTokRig.connection)", token: "T1==y")
    #expect(again.entry?.token == "T1==y")
  }

  @Test func nothingIsDoneBeforeTheConnection() throws {
    var rig = OpenTokRig()
    #expect(rig.request("read", "").end == 1011)
    rig = OpenTokRig()
    _ = rig.connect()
    #expect(rig.request("read", "").statuses == ["t1 403"])
    #expect(rig.request("create", "/connection/\(OpenTokRig.stream)", token: "x").statuses == ["t2 400"])
    #expect(rig.request("create", "/connection/\(OpenTokRig.connection)").statuses == ["t3 403"])
  }

  @Test func anotherSessionThanOnesOwnIsNotFound() throws {
    var rig = OpenTokRig.joined()
    let payload = "{\"method\":\"read\",\"uri\":\"/v2/partner/46000001/session/other\",\"content\":{}}"
    let headers = [RumorFrame.Header("TRANSACTION-ID", "x")]
    #expect(rig.send(RumorFrame(.message, headers, payload: payload)).statuses == ["x 404"])
  }

  // MARK: Publishing

  @Test func aPublisherIsAskedForItsOffer() throws {
    var rig = OpenTokRig.joined()
    let channels: JSONValue = [
      ["id": "audio1", "type": "audio", "active": true], ["id": "video1", "type": "video", "active": true],
    ]
    let begun = rig.request("create", "/stream/\(OpenTokRig.stream)", ["name": "cam", "channel": channels])
    #expect(begun.statuses == [])
    guard case .beginStream(_, let description)? = begun.commands.first else { throw Missing() }
    #expect(description.id?.description == OpenTokRig.stream)
    #expect(description.name == "cam")
    #expect(!description.hasVideo)
    let accepted = rig.feed(.replied(begun.asked[0].operation, .done))
    #expect(accepted.statuses == ["t3 200"])
    #expect(accepted.told == ["generateoffer stream \(OpenTokRig.stream)"])
    // The servers come in the status, before the offer is asked for; one entry for each address.
    let payload = try #require(accepted.frames.first?.payload)
    let status = try RaptorMessage(parsing: payload, limits: .signaling)
    let urls = status.content["iceServers"]?.array?.compactMap { $0.object?["url"]?.string }
    #expect(urls == ["stun:a", "turn:b"])
    // Clients know the service by the first part of its address.
    #expect(accepted.frames.last?["X-TB-FROM-ADDRESS"]?.hasPrefix("symphony.") == true)
    let same = rig.request("create", "/stream/\(OpenTokRig.stream)", ["channel": channels])
    #expect(same.statuses == ["t4 409"])
  }

  @Test func severalStreamsOfOneClientAreApart() throws {
    var rig = OpenTokRig.joined()
    let first = try #require(OpenTokStreamID(OpenTokRig.stream))
    let second = try #require(OpenTokStreamID(OpenTokRig.second))
    #expect(rig.publish().told.first == "answer stream \(OpenTokRig.stream)")
    #expect(rig.publish(OpenTokRig.second).told.first == "answer stream \(OpenTokRig.second)")
    let muted = rig.request("update", "/stream/\(OpenTokRig.second)/channel/audio1", ["active": false])
    #expect(muted.commands.contains(.media(second, .sound(.muted))))
    let candidate: JSONObject = ["candidate": "candidate:1", "sdpMid": "", "sdpMLineIndex": 0]
    for (name, stream) in [(OpenTokRig.stream, first), (OpenTokRig.second, second)] {
      guard case .media(stream, .candidate)? = rig.request("candidate", "/stream/\(name)", candidate).commands.first
      else { throw Missing() }
    }
    // The end of one is not that of the other.
    let ended = rig.request("delete", "/stream/\(OpenTokRig.stream)")
    #expect(ended.commands.last == .endStream(first))
    let renamed = rig.request("update", "/stream/\(OpenTokRig.second)", ["name": "bass"])
    guard case .describe(second, let description)? = renamed.commands.first else { throw Missing() }
    #expect(description.name == "bass" && !description.hasAudio)
    let gone = rig.request("offer", "/stream/\(OpenTokRig.stream)", ["sdp": "v=0"])
    #expect(gone.statuses.first?.hasSuffix(" 404") == true && gone.commands.isEmpty)
  }

  @Test func aStreamThatIsRefusedLeavesTheOthers() throws {
    var rig = OpenTokRig.joined()
    _ = rig.publish()
    let begun = rig.request("create", "/stream/\(OpenTokRig.second)", ["channel": []])
    let refused = rig.feed(.refused(begun.asked[0].operation, .conflict("the room is full")))
    #expect(refused.statuses.first?.hasSuffix(" 409") == true)
    #expect(rig.request("delete", "/stream/\(OpenTokRig.stream)").commands.contains { $0.isEnd })
  }

  @Test func nobodyHasMoreThanEightStreams() throws {
    var rig = OpenTokRig.joined()
    func id(_ number: Int) -> String { "\(number)aaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee" }
    for number in 1...8 {
      #expect(rig.request("create", "/stream/\(id(number))", ["channel": []]).commands.count == 1)
    }
    #expect(rig.request("create", "/stream/\(id(9))", ["channel": []]).statuses.first?.hasSuffix(" 429") == true)
  }

  @Test func theAnswerComesBeforeTheCandidates() throws {
    var rig = OpenTokRig.joined()
    let begun = rig.request("create", "/stream/\(OpenTokRig.stream)", ["channel": []])
    _ = rig.feed(.replied(begun.asked[0].operation, .done))
    let offered = rig.request("offer", "/stream/\(OpenTokRig.stream)", ["sdp": "v=0"])
    guard case .media(_, .publish(let label, let sdp, _))? = offered.commands.first else { throw Missing() }
    #expect(sdp == "v=0")
    #expect(rig.room(.candidate(label, KurentoSample.candidate)).told == [])
    let answered = rig.feed(.replied(offered.asked[0].operation, .answer(label, sdp: KurentoSample.answer)))
    let place = "stream \(OpenTokRig.stream)"
    #expect(answered.told == ["answer \(place)", "candidate \(place)"])
    #expect(answered.messages.last?.content["sdpMid"] == "audio")
    let candidate: JSONObject = ["candidate": "candidate:1", "sdpMid": "", "sdpMLineIndex": 0]
    let trickled = rig.request("candidate", "/stream/\(OpenTokRig.stream)", candidate)
    let expected = CandidateMessage(candidate: "candidate:1", mid: nil, mLineIndex: 0)
    let stream = try #require(OpenTokStreamID(OpenTokRig.stream))
    #expect(trickled.commands == [.media(stream, .candidate(label, expected))])
  }

  @Test func aMuteIsOneOfTheRoom() throws {
    var rig = OpenTokRig.joined()
    _ = rig.publish()
    let muted = rig.request("update", "/stream/\(OpenTokRig.stream)/channel/audio1", ["active": false])
    #expect(muted.statuses == ["t5 200"])
    let stream = try #require(OpenTokStreamID(OpenTokRig.stream))
    #expect(muted.commands.contains(.media(stream, .sound(.muted))))
    let loud = rig.request("update", "/stream/\(OpenTokRig.stream)/channel/audio1", ["active": "true"])
    #expect(loud.commands.contains(.media(stream, .sound(.on))))
    #expect(loud.commands.contains(.unmute(stream)))
    let unknown = rig.request("update", "/stream/\(OpenTokRig.stream)/channel/other", ["active": false])
    #expect(unknown.statuses == ["t7 404"])
  }

  @Test func anEndedStreamFreesTheSeat() throws {
    var rig = OpenTokRig.joined()
    _ = rig.publish()
    let ended = rig.request("delete", "/stream/\(OpenTokRig.stream)")
    #expect(ended.commands.contains { $0.isEnd })
    #expect(ended.statuses == ["t5 200"])
    let again = rig.publish()
    #expect(!again.told.isEmpty)
  }

  @Test func aStreamThatOthersHaveEndedIsGone() throws {
    var rig = OpenTokRig.joined()
    _ = rig.publish()
    var own = OpenTokRig.stream(of: "me")
    own.id = try #require(OpenTokStreamID(OpenTokRig.stream))
    #expect(rig.news(.streamCreated(own)).told == ["created stream \(OpenTokRig.stream)"])
    let ended = rig.news(.streamDestroyed(own, .forceUnpublished))
    #expect(ended.told == ["deleted stream \(OpenTokRig.stream)"])
    #expect(ended.messages.first?.reason == "forceUnpublished")
    #expect(ended.commands.contains { $0.isEnd })
  }

  // MARK: Subscribing

  @Test func aSubscriberAnswersOurOffer() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    let bob = OpenTokRig.stream(of: "bob")
    let tail = "/stream/\(bob.id)/subscriber/sub"
    let wished = rig.request("create", tail, ["id": "sub"])
    guard case .room(.subscribe(let label, let source, nil))? = wished.commands.first else { throw Missing() }
    #expect(source == .participant(bob.participant))
    let offered = rig.feed(.replied(wished.asked[0].operation, .offer(label, sdp: KurentoSample.answer)))
    #expect(offered.statuses == ["t3 200"])
    let place = "stream \(bob.id) subscriber sub"
    #expect(offered.told == ["offer \(place)"])
    #expect(rig.room(.candidate(label, KurentoSample.candidate)).told == ["candidate \(place)"])
    let answered = rig.request("answer", tail, ["sdp": "v=0"])
    #expect(answered.commands == [.room(.answer(label, sdp: "v=0"))])
    let silent = rig.request("update", tail + "/channel/audio1", ["active": false])
    #expect(silent.commands == [.room(.redirect(label, to: nil))])
    let heard = rig.request("update", tail + "/channel/audio1", ["active": true])
    #expect(heard.commands == [.room(.redirect(label, to: .participant(bob.participant)))])
    let ended = rig.request("delete", tail)
    #expect(ended.commands == [.room(.close(label))])
  }

  @Test func aSubscriptionWithoutSoundIsSilentFromTheStart() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    let bob = OpenTokRig.stream(of: "bob")
    let channel: JSONValue = ["id": "audio1", "type": "audio", "active": false]
    let wished = rig.request("create", "/stream/\(bob.id)/subscriber/sub", ["channel": .array([channel])])
    guard case .room(.subscribe(let label, _, _))? = wished.commands.first else { throw Missing() }
    let offered = rig.feed(.replied(wished.asked[0].operation, .offer(label, sdp: KurentoSample.answer)))
    #expect(offered.commands == [.room(.redirect(label, to: nil))])
  }

  @Test func aRefusedSubscriptionLeavesNothing() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    let tail = "/stream/\(OpenTokRig.stream(of: "bob").id)/subscriber/sub"
    let wished = rig.request("create", tail)
    #expect(rig.feed(.refused(wished.asked[0].operation, .notFound("gone"))).statuses == ["t3 404"])
    #expect(rig.request("create", tail).asked.count == 1)
    #expect(rig.request("create", "/stream/\(OpenTokRig.stream)/subscriber/x").statuses == ["t5 404"])
  }

  @Test func subscriptionsEndWithTheirStream() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    let bob = OpenTokRig.stream(of: "bob")
    let wished = rig.request("create", "/stream/\(bob.id)/subscriber/sub")
    guard case .room(.subscribe(let label, _, _))? = wished.commands.first else { throw Missing() }
    let ended = rig.news(.streamDestroyed(bob, .clientDisconnected))
    #expect(ended.told == ["deleted stream \(bob.id)"])
    #expect(ended.commands == [.room(.close(label))])
  }

  struct Missing: Error {}
}

extension OpenTokCommand {
  fileprivate var isEnd: Bool { if case .endStream = self { true } else { false } }
}
