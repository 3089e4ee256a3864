import Music
import Testing

@testable import Signaling

/// The table of rights, and what each dialect's requests are in it. The switches below have no default: a new case does
/// not compile until this file says who may.
@Suite struct AuthorisationTests {
  private let den = RoomName("den") ?? Sample.room
  private let attic = RoomName("attic") ?? Sample.room

  /// The least authority of every action.
  private func least(_ action: Authorisation.Action) -> Authority {
    switch action {
    case .look, .knock, .openShare: .stranger
    case .listRooms, .readRoom, .enter, .connect, .hear, .talk, .callMethod, .readObjects, .listTakes, .listExports,
      .readTake,
      .readExport, .readBackup, .hearEvents, .readSongs:
      .listener
    case .takeSeat, .publish, .runTakes, .markTake, .writeObjects, .useBackings, .editTake, .export, .exportManyTakes,
      .backUp,
      .shareTake:
      .musician
    case .kick, .mute, .closeRoom, .readStatistics, .invite: .moderator
    case .discardTake, .removeLossless, .editManyTakes, .listImports, .beginImport, .importTakes, .arrangeRoom: .owner
    case .administerObjects, .openInput, .editSongs, .readPeople, .editPeople, .readSessions, .readMetrics,
      .revokeTokens, .readConnections, .examine, .runBots:
      .operator
    }
  }

  private func object(_ kind: Authorisation.Kind) -> Authorisation.Object {
    switch kind {
    case .service: .service
    case .list: .list
    case .room: .room(den)
    }
  }

  @Test func everyActionHasItsLeastAuthorityAtItsDoorsAndNoOther() {
    for action in Authorisation.Action.allCases {
      let rule = Authorisation.rule(for: action)
      #expect(rule.least == least(action), "\(action)")
      #expect(!rule.doors.isEmpty, "\(action)")
      for door in Authorisation.Door.allCases {
        for authority in Authority.allCases {
          let room = Authority.inTokens.contains(authority) ? den : nil
          let decision = Authorisation.decide(
            Principal(authority, in: room), action, on: object(rule.kind), at: door)
          let isAllowed = authority >= least(action) && rule.doors.contains(door)
          #expect((decision == .allowed) == isAllowed, "\(authority) \(action) \(door)")
        }
      }
    }
  }

  @Test func nobodyReachesIntoAnotherRoom() {
    for action in Authorisation.Action.allCases {
      let rule = Authorisation.rule(for: action)
      guard rule.kind == .room, let door = rule.doors.first else { continue }
      for authority in Authority.inTokens {
        let stranger = Principal(authority, in: attic)
        #expect(Authorisation.decide(stranger, action, on: .room(den), at: door) != .allowed, "\(authority) \(action)")
        // The same answer for what is there and for what is not, whatever the authority.
        #expect(Authorisation.decide(stranger, action, on: .part(of: den), at: door) == .hidden)
        #expect(Authorisation.decide(stranger, action, on: .part(of: nil), at: door) == .hidden)
      }
      #expect(Authorisation.decide(.operator, action, on: .part(of: den), at: door) == .allowed)
      #expect(Authorisation.decide(.operator, action, on: .part(of: nil), at: door) == .allowed)
    }
  }

  @Test(arguments: [Authorisation.Action.kick, .mute, .invite])
  func nobodyRemovesMutesOrInvitesAMemberWithMoreRights(action: Authorisation.Action) {
    for authority in Authority.allCases where authority > .stranger {
      for other in Authority.allCases {
        let room = Authority.inTokens.contains(authority) ? den : nil
        let decision = Authorisation.decide(
          Principal(authority, in: room), action, on: .member(of: den, other), at: .rest)
        #expect((decision == .allowed) == (authority >= .moderator && authority >= other), "\(authority) \(other)")
      }
    }
  }

  @Test func anActionOnTheWrongKindOfObjectIsRefused() {
    #expect(Authorisation.decide(.operator, .runTakes, on: .service, at: .rest) != .allowed)
    #expect(Authorisation.decide(.operator, .readMetrics, on: .room(den), at: .rest) != .allowed)
  }

  // MARK: The dialects

  @Test func everyCommandOfARoomNeedsWhatItShould() {
    for command in Sample.commands {
      let least: Authority =
        switch command {
        case .subscribe, .redirect, .answer, .candidate, .restart, .close, .message, .report, .sharedObjectUse,
          .sharedObjectRelease, .call, .snapshot, .leave:
          .listener
        case .publish, .exchange, .sound, .meshEnter, .meshRelay, .meshReport, .startTake, .stopTake, .splitTake, .cue,
          .sharedObjectChange:
          .musician
        case .kick, .mute: .moderator
        case .topology: .owner
        }
      #expect(Authorisation.rule(for: command.action).least == least, "\(command)")
      #expect(Authorisation.rule(for: command.action).kind == .room, "\(command)")
    }
  }

  /// Every method of the native protocol is one of the samples, so that none escapes the test above.
  @Test func everyNativeMethodIsACommandOrNeedsNoRight() {
    let commands = Set(Sample.commands.map(\.native.method))
    #expect(Set(NativeMethod.allCases).subtracting(commands) == [.join, .ping])
    for command in Sample.commands {
      #expect(Authorisation.rule(for: command.action).doors.contains(.native), "\(command)")
    }
  }

  @Test func everyRecorderWishOfKurentoNeedsWhatItShould() {
    for word in KurentoRecorderWish.Word.allCases {
      let action: Authorisation.Action =
        switch word {
        case .startTake, .stopTake, .splitTake, .song: .runTakes
        case .cue: .markTake
        case .status, .events: .readRoom
        }
      #expect(Authorisation.rule(for: action).doors.contains(.kurento), "\(word)")
    }
  }

  @Test func everyCommandOfATreeNeedsWhatItShould() {
    let commands: [TreeCommand] = [
      .create(den), .release(den), .setSource(den, .mix), .removeSource(den), .addSink(den, offer: ""),
      .removeSink(den, "s"), .candidate(den, sink: nil, .end),
    ]
    for command in commands {
      let least: Authority =
        switch command {
        case .create, .addSink, .removeSink, .candidate: .listener
        case .release, .setSource, .removeSource: .musician
        }
      #expect(Authorisation.rule(for: command.action).least == least, "\(command)")
      #expect(Authorisation.rule(for: command.action).doors.contains(.kurentoTree), "\(command)")
      #expect(command.tree == den)
    }
    // For the sinks of others.
    #expect(Authorisation.rule(for: .kick).doors.contains(.kurentoTree))
  }

  @Test func tokensGrantNothingAboveAnOwner() {
    #expect(Authority.inTokens == Authority.allCases.filter { $0 > .stranger && $0 < .operator })
    #expect(Authority.allCases == Authority.allCases.sorted())
  }
}

@Suite struct RevocationListTests {
  private let noon = WallTime(milliseconds: 1_795_262_400_000)
  private let den = RoomName("den")

  private func stamp(_ id: String?, _ room: RoomName?, at time: WallTime?) -> TokenStamp {
    TokenStamp(id: id, room: room, issued: time.map { Double($0.milliseconds) / 1e3 })
  }

  @Test func aTokenIsRevokedByItsId() {
    var list = RevocationList()
    list.add(.init(.token("one"), at: noon))
    #expect(list.revokes(stamp("one", den, at: noon)))
    #expect(!list.revokes(stamp("two", den, at: noon)))
    #expect(!list.revokes(stamp(nil, den, at: nil)))
  }

  @Test func aRoomsTokensAreRevokedIfTheyWereIssuedBefore() {
    var list = RevocationList()
    list.add(.init(.room(den), at: noon))
    #expect(list.revokes(stamp("one", den, at: noon + .seconds(-1))))
    #expect(list.revokes(stamp("one", den, at: noon)))
    #expect(!list.revokes(stamp("one", den, at: noon + .milliseconds(1))))
    // Tokens of older releases do not say when they were issued.
    #expect(list.revokes(stamp(nil, den, at: nil)))
    #expect(!list.revokes(stamp("one", RoomName("attic"), at: noon + .seconds(-1))))
    // Tokens of every room are revoked by themselves.
    #expect(!list.revokes(stamp("one", nil, at: noon + .seconds(-1))))
    list.add(.init(.room(nil), at: noon))
    #expect(list.revokes(stamp("one", nil, at: noon + .seconds(-1))))
  }

  @Test func anEntryIsForgottenWithItsTokens() {
    var list = RevocationList()
    list.add(.init(.token("one"), at: noon, until: noon + .seconds(60)))
    list.add(.init(.token("two"), at: noon))
    list.prune(at: noon + .seconds(61))
    #expect(list.entries.map(\.subject) == [.token("two")])
    list.prune(at: noon + .seconds(RevocationList.lifetime + 1))
    #expect(list.entries.isEmpty)
  }

  @Test func aSecondRevocationReplacesTheFirst() {
    var list = RevocationList()
    list.add(.init(.room(den), at: noon))
    list.add(.init(.room(den), at: noon + .seconds(60)))
    #expect(list.entries.count == 1)
    #expect(list.revokes(stamp("one", den, at: noon + .seconds(30))))
  }
}
