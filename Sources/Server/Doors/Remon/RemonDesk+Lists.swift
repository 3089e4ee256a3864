import Machines
import Music
import Rooms
import Signaling

/// Lists of calls and casts, as the clients' search gets them.
extension RemonDesk {
  /// - Parameters:
  ///   - kind: calls, or else casts.
  ///   - text: part of the name, in any case; empty for all.
  func list(_ kind: RemonChannel.Kind, containing text: String = "", bound: RoomName?, service: String) async
    -> JSONValue
  {
    let snapshots = await broker.snapshots().filter { snapshot in
      RemonChannelID.isOne(snapshot.room) && (bound == nil || bound == snapshot.room)
        && (text.isEmpty || snapshot.room.description.lowercased().contains(text.lowercased()))
    }
    let channels = snapshots.sorted { $0.room < $1.room }.compactMap { snapshot in
      kind == .call ? call(snapshot, service) : cast(snapshot, service)
    }
    return .array(channels.map { .object($0.object) })
  }

  /// What is no cast and no conference of Remote Monster can be called: a room of another dialect too.
  private func call(_ snapshot: RoomSnapshot, _ service: String) -> RemonChannel? {
    let musicians = snapshot.members.filter { $0.role == .musician }
    let isOther = places.present(in: snapshot.room).contains { $0.part == .caster || $0.part == .member }
    guard !musicians.isEmpty, !isOther else { return nil }
    let state: RemonState =
      musicians.count == 1 ? .wait : musicians.allSatisfy(\.isPublishing) ? .complete : .connect
    return channel(snapshot, .call, state, service, meta: musicians.first?.meta)
  }

  /// Whatever can be viewed: casts, and rooms of other dialects in which somebody plays.
  private func cast(_ snapshot: RoomSnapshot, _ service: String) -> RemonChannel? {
    let present = places.present(in: snapshot.room)
    let players = snapshot.members.filter { $0.role == .musician && $0.hasPublication }
    guard let player = players.first, !present.contains(where: { $0.part == .caller || $0.part == .member }) else {
      return nil
    }
    return channel(snapshot, .broadcast, .complete, service, meta: player.meta)
  }

  private func channel(
    _ snapshot: RoomSnapshot, _ kind: RemonChannel.Kind, _ state: RemonState, _ service: String, meta: String?
  ) -> RemonChannel {
    let name = snapshot.room.description
    return RemonChannel(id: name, name: name, kind: kind, state: state, serviceID: service, meta: meta)
  }

  /// The casts of a conference. A client tells its own by the token within; nobody else gets to see that.
  func casts(in room: RoomName, service: String, token: String?, from address: String?) async -> JSONValue {
    let members = await broker.snapshot(of: room)?.members ?? []
    let present = places.present(in: room)
    let channels = members.filter { $0.role == .musician && $0.hasPublication }.map { member in
      let id = member.participant.id
      let place = present.first { $0.participant == id }
      var shown = id.description
      if let place, token.map({ $0 == place.pass.token }) ?? (address != nil && place.address == address) {
        shown = RemonChannelID.own(id, token: place.pass.token)
      }
      return RemonChannel(
        id: shown, name: member.participant.name.description, kind: .broadcast, state: .complete, serviceID: service,
        meta: member.meta)
    }
    return .array(channels.map { .object($0.object) })
  }
}
