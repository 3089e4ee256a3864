import Machines
import Music
import Realtime
import Recording
import Signaling
import Synchronization

/// One connection that carries music, as its operator sees it.
package struct ConnectionStatistics: Sendable, Hashable {
  package enum Direction: String, Sendable, Hashable {
    /// From the client, to it, and both.
    case incoming = "in"
    case outgoing = "out"
    case both
  }

  /// Distinct among all connections of the service, in the order of their beginnings if the room's members came so.
  package var id: String
  package var room: RoomName?
  /// The members that the connection carries; one over RTMP may publish for several.
  package var participants: [ParticipantID]
  package var dialect: Authorisation.Door
  package var direction: Direction
  /// "udp" or "tcp".
  package var transport: String
  package var state: String
  package var since: WallTime
  /// The client's network address, where it is known.
  package var address: String?
  /// The codecs as they come and go: "opus", "aac".
  package var codecs: [String]
  package var received: TrafficMeter
  package var sent: TrafficMeter
  /// Bytes that wait for the client in this process.
  package var buffered: Int
  /// Frames or packets for the client that were given up, because it or its network did not take them.
  package var dropped: Int64
  /// Packets of the client that are missing; nil where nothing gets lost.
  package var lost: Int64?
  package var jitter: MonotonicTime.Span?
  package var roundTrip: MonotonicTime.Span?

  package init(
    id: String, room: RoomName?, participants: [ParticipantID], dialect: Authorisation.Door, direction: Direction,
    transport: String, state: String, since: WallTime, address: String?, codecs: [String], received: TrafficMeter,
    sent: TrafficMeter, buffered: Int = 0, dropped: Int64 = 0, lost: Int64? = nil,
    jitter: MonotonicTime.Span? = nil, roundTrip: MonotonicTime.Span? = nil
  ) {
    self.id = id
    self.room = room
    self.participants = participants
    self.dialect = dialect
    self.direction = direction
    self.transport = transport
    self.state = state
    self.since = since
    self.address = address
    self.codecs = codecs
    self.received = received
    self.sent = sent
    self.buffered = buffered
    self.dropped = dropped
    self.lost = lost
    self.jitter = jitter
    self.roundTrip = roundTrip
  }
}

/// What connections have carried since the start, by dialect: it only grows, whatever connections end.
package final class TrafficTotals: Sendable {
  package struct Sum: Hashable, Sendable {
    package var received: Int64 = 0
    package var sent: Int64 = 0
    package var dropped: Int64 = 0

    package init() {}
  }

  private let sums = Mutex<[Authorisation.Door: Sum]>([:])

  package init() {}

  package func add(received: Int64 = 0, sent: Int64 = 0, dropped: Int64 = 0, by dialect: Authorisation.Door) {
    sums.withLock { sums in
      sums[dialect, default: Sum()].received &+= received
      sums[dialect, default: Sum()].sent &+= sent
      sums[dialect, default: Sum()].dropped &+= dropped
    }
  }

  package var current: [Authorisation.Door: Sum] { sums.withLock { $0 } }
}

/// The traffic of one peer over the network.
struct PeerTraffic {
  let since = MonotonicClock.wall
  var received = TrafficMeter()
  var sent = TrafficMeter()
  /// Datagrams that the system did not take.
  private(set) var dropped: Int64 = 0
  private var droppedNews: Int64 = 0

  mutating func note(_ count: Int, isSent: Bool, at now: MonotonicTime) {
    if isSent {
      sent.add(count, at: now)
    } else {
      dropped += 1
      droppedNews += 1
    }
  }

  /// Adds what is new to the totals.
  mutating func report(to totals: TrafficTotals, by dialect: Authorisation.Door) {
    let (received, sent) = (received.takeNews(), sent.takeNews())
    guard received > 0 || sent > 0 || droppedNews > 0 else { return }
    totals.add(received: received, sent: sent, dropped: droppedNews, by: dialect)
    droppedNews = 0
  }
}

extension RoomActor {
  /// The connections of the room's members over the network.
  ///
  /// What RTMP carries reaches the room within the process; its connections are the shell's.
  func connections(of participant: ParticipantID? = nil) -> [ConnectionStatistics] {
    var found: [ConnectionStatistics] = []
    for member in members where participant == nil || member.participant.id == participant {
      for (label, peer) in member.peers where peer.isOnNetwork {
        found.append(statistics(of: peer, label, member))
        peer.traffic.report(to: services.traffic, by: member.door)
      }
    }
    return found
  }

  private func statistics(of peer: Peer, _ label: PeerLabel, _ member: Member) -> ConnectionStatistics {
    let counts = peer.statistics
    let takes = peer.role != .sendToPeer
    return ConnectionStatistics(
      id: "\(member.participant.id)-\(label)", room: name, participants: [member.participant.id],
      dialect: member.door,
      direction: peer.role == .exchangeWithPeer ? .both : takes ? .incoming : .outgoing,
      transport: "udp", state: peer.state.rawValue, since: peer.traffic.since,
      // That of an input for plain RTP is a word, and not the sender's.
      address: member.door == .rtp ? nil : member.address, codecs: ["opus"], received: peer.traffic.received,
      sent: peer.traffic.sent, dropped: peer.traffic.dropped, lost: takes ? counts?.lost : nil,
      jitter: takes ? counts?.jitter : nil, roundTrip: counts?.roundTrip)
  }
}

extension Broker {
  /// All connections of musicians and listeners over UDP, in the order of their identifiers.
  package func connections() async -> [ConnectionStatistics] {
    var found: [ConnectionStatistics] = []
    for room in openRooms { found += await room.connections() }
    return found.sorted { $0.id < $1.id }
  }

  /// Those of one member; nil if there is no such member.
  package func connections(of participant: ParticipantID, in name: RoomName) async -> [ConnectionStatistics]? {
    guard let room = existing(name), await room.has(participant) else { return nil }
    return await room.connections(of: participant).sorted { $0.id < $1.id }
  }
}

extension RoomActor {
  func has(_ participant: ParticipantID) -> Bool { members.contains { $0.participant.id == participant } }
}
