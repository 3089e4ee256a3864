import Machines
import Music

@testable import Signaling

/// An archive and a session whose state the test tells.
struct OpenTokArchiveRig {
  static let project = try? OpenTokProject(key: "46000001", secret: String(repeating: "s", count: 40))
  private static let hashes = OpenTokHashes(
    sha1: { $0 + $1 },
    sha256: { key, text in
      // No hash: as long as one, and different for different texts.
      let sum = (key + text).reduce(into: UInt64(7)) { $0 = $0 &* 31 &+ UInt64($1) }
      return (0..<32).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 % 8 * 8)) }
    })

  static func session(_ settings: OpenTokSessionID.Settings = .init(), _ number: UInt64 = 1) -> OpenTokSessionID {
    guard let project,
      let id = try? OpenTokSessionID(of: project, settings, nonce: ULID(high: 0, low: number), hashes: hashes)
    else { preconditionFailure("the rig's project is right") }
    return id
  }

  static func wish(_ text: String) throws -> OpenTokArchiveWish {
    try OpenTokArchiveWish(try JSONValue(parsing: Array(text.utf8)).object ?? JSONObject())
  }

  func archive(_ wish: String = "{}") -> Watched {
    Watched((try? OpenTokArchiveRig.wish(wish)) ?? OpenTokArchiveWish())
  }

  /// A machine with what it has said.
  struct Watched {
    private var machine: OpenTokArchiveMachine
    private(set) var news: [OpenTokArchive.Status] = []
    /// How often it wanted a take.
    private(set) var asked = 0
    private var people: [String: ParticipantID] = [:]
    private var takes: [String: TakeID] = [:]
    private let noon = WallTime(milliseconds: 1_795_262_400_000)

    init(_ wish: OpenTokArchiveWish) {
      let archive = OpenTokArchive(
        id: OpenTokArchive.newID(), session: OpenTokArchiveRig.session(), wish: wish, at: noon)
      machine = OpenTokArchiveMachine(archive, at: MonotonicTime(nanoseconds: 0), wall: noon)
    }

    var value: OpenTokArchive { machine.archive }

    /// The spans in words.
    var spans: [String] {
      value.spans.map { span in
        let name = takes.first { $0.value == span.take }?.key ?? "?"
        return "\(name) \(span.from.seconds)-\(span.to.map { "\($0.seconds)" } ?? "end")"
      }
    }

    private mutating func person(_ name: String) -> ParticipantID {
      let id = people[name] ?? ParticipantID(ULID(high: 1, low: UInt64(people.count)))
      people[name] = id
      return id
    }

    mutating func stream(_ name: String) -> OpenTokStreamID { OpenTokStreamID(of: person(name)) }

    mutating func see(
      at time: Double, connections: Int = 1, streams: [String], isMuted: Bool = false, take: (String, Double)?
    ) {
      var scene = OpenTokArchiveMachine.Scene()
      for number in 0..<connections {
        let id = ParticipantID(ULID(high: 2, low: UInt64(number)))
        scene.connections.append(
          OpenTokConnection(id: OpenTokConnectionID(of: id), participant: id, createdAt: noon, data: "data"))
      }
      for name in streams {
        let id = person(name)
        scene.streams.append(
          OpenTokStream(
            id: OpenTokStreamID(of: id), connection: OpenTokConnectionID(of: id), participant: id, createdAt: noon,
            name: name, hasAudio: !isMuted))
      }
      if let (name, position) = take {
        let id = takes[name] ?? TakeID(ULID(high: 3, low: UInt64(takes.count)))
        takes[name] = id
        scene.take = .init(id: id, position: SamplePosition(Int64((position * 48_000).rounded())))
      }
      give(.scene(scene), at: time)
    }

    mutating func give(_ input: OpenTokArchiveMachine.Input, at time: Double) {
      machine.handle(input, at: MonotonicTime(nanoseconds: Int64(time * 1e9)))
      while let output = machine.next() {
        switch output {
        case .needsTake: asked += 1
        case .changed(let isNews): if isNews { news.append(machine.archive.status) }
        }
      }
    }
  }
}
