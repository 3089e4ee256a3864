import Machines
import Music
import Testing

@testable import Signaling

/// Transactions, silence and returns; rights, signals and what happens in the session.
@Suite struct OpenTokReturnTests {
  // MARK: Transactions

  @Test func aRepeatedRequestIsAnsweredAgainAndNotCarriedOutAgain() throws {
    var rig = OpenTokRig.joined()
    let first = rig.request("signal", "/signal/1", ["data": "hi"], transaction: "x")
    #expect(first.commands.count == 1)
    let early = rig.request("signal", "/signal/1", ["data": "hi"], transaction: "x")
    #expect(early.isEmpty)
    #expect(rig.feed(.replied(first.asked[0].operation, .done)).statuses == ["x 200"])
    let late = rig.request("signal", "/signal/1", ["data": "hi"], transaction: "x")
    #expect(late.statuses == ["x 200"])
    #expect(late.commands.isEmpty)
  }

  @Test func aPingIsAnsweredAtOnce() throws {
    var rig = OpenTokRig.joined()
    #expect(rig.send(RumorFrame(.ping)).frames.map(\.kind) == [.pong])
  }

  @Test func whatWasNotAcknowledgedIsSentAgain() throws {
    var rig = OpenTokRig.joined()
    // The session's state is a message like every other.
    let read = RumorFrame.Header("TRANSACTION-ID", "t2")
    _ = rig.send(RumorFrame(.status, [read]))
    let first = rig.news(.connectionCreated(OpenTokRig.other("bob")))
    let second = rig.news(.connectionCreated(OpenTokRig.other("cy")))
    let transaction = try #require(first.frames.first?["TRANSACTION-ID"])
    _ = rig.send(RumorFrame(.status, [RumorFrame.Header("TRANSACTION-ID", transaction)]))
    _ = rig.feed(.linkLost(OpenTokRig.link))
    let meanwhile = rig.news(.connectionDestroyed(OpenTokRig.other("bob"), .clientDisconnected))
    let back = rig.feed(.resumed(OpenTokReturn(), on: LinkNumber(2), nil))
    #expect(back.frames == second.frames + meanwhile.frames)
  }

  @Test func aClientThatAcknowledgesNothingIsLetGo() throws {
    var rig = OpenTokRig.joined()
    for number in 0...RumorExchange.mostUnacknowledged {
      let signal = try OpenTokSignal(type: nil, data: "\(number)")
      let outputs = rig.news(.signal(signal))
      if let code = outputs.end {
        #expect(code == 1011)
        return
      }
    }
    Issue.record("it was never let go")
  }

  // MARK: Silence

  @Test func aSilentClientMayComeBackAfterTenSeconds() throws {
    var rig = OpenTokRig.joined()
    #expect(rig.advance(by: .milliseconds(9_899)).isEmpty)
    let outputs = rig.advance(by: .milliseconds(1))
    #expect(outputs.closed == 4001)
    #expect(outputs.end == nil)
    let back = rig.feed(.resumed(OpenTokReturn(), on: LinkNumber(2), nil))
    #expect(!back.frames.isEmpty)
    #expect(rig.advance(by: .milliseconds(9_899)).isEmpty)
  }

  @Test func aClientThatNamesNoSocketHasFiftySeconds() throws {
    var rig = OpenTokRig.joined(opening: .fresh)
    #expect(rig.advance(by: .milliseconds(49_899)).isEmpty)
    #expect(rig.advance(by: .milliseconds(1)).end == 4001)
    rig = OpenTokRig.joined(opening: .fresh)
    #expect(rig.feed(.linkLost(OpenTokRig.link)).end == 1000)
  }

  @Test func aReturnToNothingIsFinal() throws {
    var rig = OpenTokRig(.unknown)
    #expect(rig.send(RumorFrame(.ping)).end == 1011)
    rig = OpenTokRig(.unknown)
    #expect(rig.connect().statuses == ["connect 200"])
    rig = OpenTokRig.joined()
    #expect(rig.feed(.unknownSession(OpenTokReturn(), on: LinkNumber(2))).end == 1011)
  }

  @Test func aDisconnectLeaves() throws {
    var rig = OpenTokRig.joined()
    let outputs = rig.send(RumorFrame(.disconnect))
    #expect(outputs.commands == [.room(.leave)])
    #expect(outputs.end == 1000)
  }

  // MARK: Rights

  @Test(arguments: OpenTokToken.Role.allCases)
  func everyRoleDoesWhatItMay(role: OpenTokToken.Role) throws {
    var rig = OpenTokRig.joined(role, with: ["bob"])
    let bob = OpenTokRig.stream(of: "bob")
    // What the documentation says of each role, not what `Role` says of itself.
    let mayPublish = [.publisher, .publisheronly, .moderator].contains(role)
    let maySubscribe = [.subscriber, .publisher, .moderator].contains(role)
    let (maySignal, mayModerate) = ([.publisher, .moderator].contains(role), role == .moderator)
    let requests: [(Bool, [OpenTokServer.Output])] = [
      (mayPublish, rig.request("create", "/stream/\(OpenTokRig.stream)", ["channel": []])),
      (maySubscribe, rig.request("create", "/stream/\(bob.id)/subscriber/sub")),
      (maySignal, rig.request("signal", "/signal/1", ["data": "hi"])),
      (mayModerate, rig.request("delete", "/connection/\(bob.connection)")),
      (mayModerate, rig.request("delete", "/stream/\(bob.id)")),
      (mayModerate, rig.request("update", "/stream/\(bob.id)/channel/audio1", ["active": false])),
    ]
    for (isPermitted, outputs) in requests {
      #expect(outputs.commands.isEmpty != isPermitted)
      let isForbidden = outputs.statuses.contains { $0.hasSuffix(" 403") }
      #expect(isForbidden != isPermitted)
    }
  }

  // MARK: The session

  @Test func signalsGoToTheirReceiver() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    let bob = OpenTokRig.other("bob").id
    let all = rig.news(.signal(try OpenTokSignal(type: "chat", data: "hi", from: bob)))
    let message = try #require(all.messages.first)
    #expect(message.content == ["data": "hi", "type": "chat"])
    #expect(all.frames.first?["X-TB-FROM-ADDRESS"] == bob.description)
    #expect(rig.news(.signal(try OpenTokSignal(type: nil, data: "hi", from: bob, to: bob))).isEmpty)
    let server = rig.news(.signal(try OpenTokSignal(type: nil, data: "hi", to: rig.me.id)))
    #expect(server.frames.first?["X-TB-FROM-ADDRESS"] == "")
    let sent = rig.request("signal", "/connection/\(bob)/signal/1", ["data": ["a": 1]])
    let expected = try OpenTokSignal(type: nil, data: "{\"a\":1}", from: rig.me.id, to: bob)
    #expect(sent.commands == [.signal(expected)])
    let wrong = rig.request("signal", "/signal/2", ["type": "a b", "data": ""])
    #expect(wrong.statuses.first?.hasSuffix(" 400") == true)
  }

  @Test func messagesOfOtherDialectsAreSignals() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    let outputs = rig.room(.message(from: KurentoSample.id("bob"), text: "count in", isPrivate: false))
    #expect(outputs.messages.first?.content == ["data": "count in", "type": "message"])
    #expect(outputs.frames.first?["X-TB-FROM-ADDRESS"] == OpenTokRig.other("bob").id.description)
  }

  @Test func changesOfTheSessionAreTold() throws {
    var rig = OpenTokRig.joined()
    let (bob, stream) = (OpenTokRig.other("bob"), OpenTokRig.stream(of: "bob"))
    #expect(rig.news(.connectionCreated(bob)).told == ["created connection \(bob.id)"])
    #expect(rig.news(.connectionCreated(bob)).isEmpty)
    #expect(rig.news(.streamCreated(stream)).told == ["created stream \(stream.id)"])
    let muted = OpenTokRig.stream(of: "bob", hasAudio: false)
    let changed = rig.news(.streamChanged(muted, from: stream))
    #expect(changed.told == ["updated stream \(stream.id) channel audio1"])
    #expect(changed.messages.first?.content == ["active": false])
    let left = rig.news(.connectionDestroyed(bob, .networkDisconnected))
    #expect(left.told == ["deleted connection \(bob.id)"])
    #expect(left.messages.first?.reason == "networkDisconnected")
  }

  @Test func nothingIsToldBeforeTheSessionWasRead() throws {
    var rig = OpenTokRig()
    _ = rig.connect()
    _ = rig.request("create", "/connection/\(OpenTokRig.connection)", token: "T1==x")
    _ = rig.welcome(.publisher, [])
    #expect(rig.news(.connectionCreated(OpenTokRig.other("bob"))).isEmpty)
    let content = rig.request("read", "").messages.first?.content
    #expect(content?["connection"]?.array?.count == 2)
  }

  @Test func takesAreSeenAsArchives() throws {
    var rig = OpenTokRig.joined()
    let take = KurentoSample.take
    let started = rig.room(.takeStarted(take))
    #expect(started.told == ["created archive \(take.id)"])
    #expect(started.messages.first?.content["name"] == "take 1: Solar")
    let stopped = rig.room(.takeStopped(take.id, next: nil))
    #expect(stopped.told == ["updated archive \(take.id)"])
    #expect(stopped.messages.first?.content == ["status": "stopped"])
  }

  @Test func archivesAreSeenInsteadOfTheirTakes() throws {
    var rig = OpenTokRig.joined()
    var archive = OpenTokArchiveNotice(id: "a1", name: "one", status: "started")
    let began = rig.news(.archive(archive))
    #expect(began.told == ["created archive a1"])
    let rolling = rig.room(.takeStarted(KurentoSample.take))
    #expect(rolling.told.isEmpty)
    for status in ["paused", "started", "stopped"] {
      archive.status = status
      let changed = rig.news(.archive(archive))
      #expect(changed.told == ["updated archive a1"])
    }
    let again = rig.news(.archive(archive))
    #expect(again.told.isEmpty)
  }

  @Test func aForcedDisconnectSaysSo() throws {
    var rig = OpenTokRig.joined()
    let outputs = rig.room(.closed(reason: .kicked))
    #expect(outputs.told == ["deleted connection \(OpenTokRig.connection)"])
    #expect(outputs.messages.first?.reason == "forceDisconnected")
    // Not a code by which the client tries to come back.
    #expect(outputs.end == 1000)
  }

  @Test func aSceneBringsAClientToThePresentState() throws {
    var rig = OpenTokRig.joined(with: ["bob"])
    _ = rig.room(.takeStarted(KurentoSample.take))
    let cy = OpenTokRig.other("cy")
    let state = OpenTokSessionState(
      session: rig.session, createdAt: WallTime(milliseconds: 1), connections: [rig.me, cy],
      streams: [OpenTokRig.stream(of: "cy")])
    let outputs = rig.feed(.event(.scene(OpenTokScene(state, take: nil))))
    let bob = OpenTokRig.stream(of: "bob")
    let expected = [
      "deleted stream \(bob.id)", "deleted connection \(bob.connection)", "created connection \(cy.id)",
      "created stream \(OpenTokRig.stream(of: "cy").id)", "updated archive \(KurentoSample.take.id)",
    ]
    #expect(outputs.told == expected)
  }

  // MARK: Names

  @Test(arguments: [
    ("bob", "bob"), ("{\"userName\":\"Ann\"}", "Ann"), ("username=cy,level=4", "cy"), ("id=7", "guest-1111"),
    ("", "guest-1111"), ("{\"n\":1", "guest-1111"),
  ])
  func aNameIsReadFromTheConnectionData(data: String, name: String) throws {
    let id = try #require(OpenTokConnectionID(OpenTokRig.connection))
    let made = OpenTokClientName.make(of: data, id, besides: [])
    #expect(made?.description == name)
    let taken = try #require(DisplayName(name))
    let second = OpenTokClientName.make(of: data, id, besides: [taken])
    #expect(second?.description == "\(name) 2")
  }
}
