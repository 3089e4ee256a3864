import Music

/// Decides who may do what, where, by which door: the only such place, for every dialect.
///
/// ```swift
/// try Authorisation.check(principal, .kick, on: .member(of: room, .listener), at: .rest)
/// ```
package enum Authorisation {
  /// An entrance of the service.
  package enum Door: String, Hashable, Sendable, CaseIterable {
    case rest, native, kurento, kurentoTree, rtmp, whip, whep
    /// Plain RTP, opened over REST.
    case rtp
    /// Those whom a bot hears elsewhere (docs/bot.md).
    case bot
    /// Apps made for XirSys: PerchRTC, Pectin, xRtc's pages.
    case xirsys
    /// Apps made for Remote Monster: RemonCall, RemonCast, RemonConference.
    case remon
    /// Servers and clients of apps made for OpenTok.
    case opentok
  }

  /// What somebody wants to do. Every request of every dialect is one of these.
  package enum Action: String, Hashable, Sendable, CaseIterable {
    case look, knock, openShare
    case listRooms, readRoom, enter, connect, hear, talk, readObjects
    case callMethod
    case takeSeat, publish, runTakes, markTake, writeObjects, useBackings
    case kick, mute, closeRoom, arrangeRoom, invite
    case administerObjects, openInput, runBots
    case listTakes, listExports, readTake, readExport, readBackup, hearEvents
    case editTake, export, backUp, shareTake
    case discardTake, removeLossless, editManyTakes, exportManyTakes
    case listImports, beginImport, importTakes
    case readSongs, editSongs, readPeople, editPeople, readSessions, readMetrics, revokeTokens
    case readStatistics, readConnections, examine
  }

  /// What a rule is about.
  package enum Kind: Hashable, Sendable {
    /// The service and what all its rooms share.
    case service
    /// A list across rooms, which shows (or takes) only what is within reach.
    case list
    /// One room, or something that belongs to it.
    case room
  }

  /// One row of the table: the least authority, what it is about, and the doors that have it.
  package struct Rule: Hashable, Sendable {
    package var least: Authority
    package var kind: Kind
    package var doors: Set<Door>

    init(_ least: Authority, _ kind: Kind, _ doors: Set<Door>) {
      (self.least, self.kind, self.doors) = (least, kind, doors)
    }
  }

  /// **The table.** An action that is not in a door's row is refused there.
  package static func rule(for action: Action) -> Rule {
    switch action {
    // Pages, documents, health.
    case .look: Rule(.stranger, .service, [.rest, .kurento, .kurentoTree, .xirsys, .remon, .opentok])
    // Beginning a conversation whose join is checked; calls of XirSys, Remote Monster and OpenTok, which carry their
    // account within.
    case .knock: Rule(.stranger, .service, [.kurento, .kurentoTree, .xirsys, .remon, .opentok])

    // What a link opens is decided by its secret, which proves nothing about a room (`Shares`).
    case .openShare: Rule(.stranger, .service, [.rest])

    case .listRooms: Rule(.listener, .list, [.rest, .kurento])
    case .readRoom: Rule(.listener, .room, [.rest, .native, .kurento, .rtmp, .xirsys, .remon, .opentok])
    // Coming in to listen.
    case .enter: Rule(.listener, .room, [.native, .rtmp, .whep, .kurentoTree, .remon, .opentok])
    // Candidates, answers, restarts, measurements, leaving: whatever a place that one has needs.
    case .connect: Rule(.listener, .room, live)
    case .hear: Rule(.listener, .room, [.native, .kurento, .rtmp, .whep, .kurentoTree, .xirsys, .remon, .opentok])
    case .talk: Rule(.listener, .room, [.native, .kurento, .rtmp, .remon, .opentok])
    // Methods of the band's own application, which gets the caller's authority and decides itself.
    case .callMethod: Rule(.listener, .room, [.native, .kurento, .rtmp])
    case .readObjects: Rule(.listener, .room, [.rest, .native, .rtmp])

    case .takeSeat: Rule(.musician, .room, players)
    case .publish: Rule(.musician, .room, players)
    case .runTakes: Rule(.musician, .room, [.rest, .native, .kurento, .rtmp, .bot, .opentok])
    case .markTake: Rule(.musician, .room, [.rest, .native, .kurento, .rtmp, .bot, .opentok])
    case .writeObjects: Rule(.musician, .room, [.native, .rtmp])
    // Adding, playing and removing backing tracks.
    case .useBackings: Rule(.musician, .room, [.rest])

    case .kick: Rule(.moderator, .room, [.rest, .native, .kurentoTree, .opentok])
    // Silencing a member for everybody, and lifting it; ending what they send.
    case .mute: Rule(.moderator, .room, [.rest, .native, .opentok])
    case .closeRoom: Rule(.moderator, .room, [.rest, .kurento])
    // Making, reading and withdrawing invitations, of roles up to one's own.
    case .invite: Rule(.moderator, .room, [.rest])
    // How the musicians of a room hear each other.
    case .arrangeRoom: Rule(.owner, .room, [.rest, .native])

    // Shared objects whatever their owner, and calls of the members' handlers.
    case .administerObjects: Rule(.operator, .room, [.rest])
    case .openInput: Rule(.operator, .room, [.rest])
    // A bot connects to any server and holds its secrets, so it is the operator's.
    case .runBots: Rule(.operator, .service, [.rest])

    case .listTakes: Rule(.listener, .list, [.rest])
    case .listExports: Rule(.listener, .list, [.rest])
    case .readTake: Rule(.listener, .room, [.rest, .rtmp])
    case .readExport: Rule(.listener, .room, [.rest])
    case .readBackup: Rule(.listener, .room, [.rest])
    case .hearEvents: Rule(.listener, .list, [.rest])
    case .editTake: Rule(.musician, .room, [.rest])
    case .export: Rule(.musician, .room, [.rest])
    case .backUp: Rule(.musician, .room, [.rest])
    // Links for people without an account. A musician can take the files away anyhow.
    case .shareTake: Rule(.musician, .room, [.rest])
    case .discardTake: Rule(.owner, .room, [.rest])
    case .removeLossless: Rule(.owner, .room, [.rest])
    case .editManyTakes: Rule(.owner, .list, [.rest])
    case .exportManyTakes: Rule(.musician, .list, [.rest])
    // Takes of existing recordings; the body says for which room, which is decided by the third.
    case .listImports, .beginImport: Rule(.owner, .list, [.rest])
    case .importTakes: Rule(.owner, .room, [.rest])

    case .readSongs: Rule(.listener, .service, [.rest])
    case .editSongs: Rule(.operator, .service, [.rest])
    case .readPeople: Rule(.operator, .service, [.rest])
    case .editPeople: Rule(.operator, .service, [.rest])
    case .readSessions: Rule(.operator, .service, [.rest])
    case .readMetrics: Rule(.operator, .service, [.rest])
    case .revokeTokens: Rule(.operator, .service, [.rest])

    // Addresses of clients among them.
    case .readStatistics: Rule(.moderator, .room, [.rest])
    case .readConnections: Rule(.operator, .service, [.rest])
    // Has the doctor look at the service: its paths, addresses and certificates.
    case .examine: Rule(.operator, .service, [.rest])
    }
  }

  /// The doors by which somebody plays in a room.
  private static let players: Set<Door> = [
    .native, .kurento, .rtmp, .whip, .kurentoTree, .rtp, .xirsys, .remon, .bot, .opentok,
  ]
  /// The doors by which somebody is in a room.
  private static let live = Set(Door.allCases).subtracting([.rest])

  /// The object of an action.
  package enum Object: Hashable, Sendable {
    case service
    /// A list across rooms.
    case list
    /// A room, by its name.
    case room(RoomName)
    /// Something of a room that is asked for by its identifier; nil if there is nothing of that identifier.
    case part(of: RoomName?)
    /// A member of a room, with the authority of their credentials; or an invitation to it, with that of its role.
    case member(of: RoomName, Authority)

    var kind: Kind {
      switch self {
      case .service: .service
      case .list: .list
      case .room, .part, .member: .room
      }
    }
  }

  package enum Decision: Hashable, Sendable {
    case allowed
    case refused(RoomRefusal)
    /// The answer has to be the same as for an identifier that nothing has.
    case hidden
  }

  /// **The function.**
  package static func decide(
    _ principal: Principal, _ action: Action, on object: Object, at door: Door
  ) -> Decision {
    let rule = rule(for: action)
    guard rule.doors.contains(door), rule.kind == object.kind else {
      return .refused(RoomRefusal(.forbidden, "\(action.rawValue) is not possible here (\(door.rawValue))"))
    }
    guard rule.least > .stranger else { return .allowed }
    guard principal.authority > .stranger else {
      return .refused(RoomRefusal(.unauthorized, "this needs a join token or an API key"))
    }
    switch object {
    case .room(let room), .member(of: let room, _):
      guard principal.reaches(room) else {
        return .refused(RoomRefusal(.forbidden, "the join token is for another room than \"\(room)\""))
      }
    case .part(of: let room):
      // What is missing looks like what is out of reach, whatever would be done with it.
      guard room.map(principal.reaches) ?? (principal.room == nil) else { return .hidden }
    case .service, .list: break
    }
    guard principal.authority >= rule.least else {
      return .refused(.needs(rule.least, principal.authority, for: action))
    }
    if case .member(_, let other) = object, other > principal.authority {
      let what = action == .invite ? "the invitation is for" : "this member is"
      return .refused(RoomRefusal(.forbidden, "\(what) \(other.article), with more rights than you have"))
    }
    return .allowed
  }

  /// - Throws: `RoomRefusal` `.unauthorized` or `.forbidden`; `.unknownParticipant` and the like never, so it is not
  ///   for objects that are asked for by an identifier.
  package static func check(
    _ principal: Principal, _ action: Action, on object: Object, at door: Door
  ) throws(RoomRefusal) {
    switch decide(principal, action, on: object, at: door) {
    case .allowed: return
    case .refused(let refusal): throw refusal
    case .hidden: throw RoomRefusal(.forbidden, "this belongs to another room, or to none")
    }
  }
}

extension Role {
  /// What taking such a place is in the table.
  package var entering: Authorisation.Action {
    switch self {
    case .musician: .takeSeat
    case .listener: .enter
    }
  }
}

extension RoomRefusal {
  /// The refusal of changes by a listener, the same in every dialect.
  package static let onlyListens = RoomRefusal(
    .forbidden, "a listener's join token lets you hear, read and talk, not change anything; a musician's does")

  /// The refusal of an action that needs `least`.
  static func needs(
    _ least: Authority, _ present: Authority, for action: Authorisation.Action
  ) -> RoomRefusal {
    if action == .takeSeat {
      return RoomRefusal(
        .forbidden, "the join token is for \(present.article), not for a musician; join as a listener")
    }
    return switch least {
    case .stranger, .listener, .musician: onlyListens
    case .moderator, .owner:
      RoomRefusal(
        .forbidden, "this needs the join token of \(least.article) of the room; yours is of \(present.article)")
    case .operator:
      RoomRefusal(.forbidden, "this needs an API key; a join token opens the takes of its room")
    }
  }
}

extension Authority {
  /// "a listener", "an owner".
  var article: String {
    switch self {
    case .owner, .operator: "an \(rawValue)"
    case .stranger, .listener, .musician, .moderator: "a \(rawValue)"
    }
  }
}
