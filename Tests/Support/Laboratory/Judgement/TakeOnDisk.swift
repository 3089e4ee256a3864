import Foundation
import Machines
import Music
import Realtime
import Recording

/// The take of a room in the service's data folder.
struct TakeOnDisk {
  /// What a take's journal holds.
  struct Journal: Sendable {
    /// SSRC and number of every packet, by the name of the musician whom the recorder took its sender for.
    var packets: [String: Set<UInt64>] = [:]
    /// The times of the sender's wall clock that reports tell, by the same name.
    var reports: [String: Set<NTPTime>] = [:]
    /// Sample 0 of the files, in nanoseconds of `LaboratoryClock`.
    var zero: Int64
    /// The take's end on that clock.
    var end: Int64?

    /// What the sender reports of a compound tell.
    static func times(in compound: [UInt8]) -> [NTPTime] {
      ((try? RTCPCompound.parse(compound)) ?? []).compactMap { packet in
        guard case .senderReport(let report) = packet else { return nil }
        return report.time
      }
    }
  }

  /// Files of one revision, that belong together.
  struct Revision {
    var certificate: Certificate
    /// Samples by file name.
    var sound: [String: [Float]]
  }

  let folder: TakeFolder
  private let root: String

  /// The room's only take, nil as long as there is none.
  init?(of room: String, in root: String) throws {
    self.root = root
    let files = FileManager.default
    guard let session = try? files.contentsOfDirectory(atPath: "\(root)/\(room)").sorted().first,
      let take = try? files.contentsOfDirectory(atPath: "\(root)/\(room)/\(session)").sorted().first
    else { return nil }
    folder = try TakeFolder(existing: "\(room)/\(session)/\(take)", in: root)
  }

  /// Its identifier, nil until the journal's beginning is on the disk.
  func identifier() throws -> TakeID? {
    var journal = try JournalFollower(folder: folder)
    _ = try journal.next()
    return journal.header?.take
  }

  func journal() throws -> Journal {
    var follower = try JournalFollower(folder: folder)
    var names: [Int: String] = [:]
    var packets: [String: Set<UInt64>] = [:]
    var reports: [String: Set<NTPTime>] = [:]
    var end: Int64?
    while let frame = try follower.next(isComplete: true) {
      switch frame {
      case .trackOpened(let track, let opened, _): names[track] = "\(opened.participant.name)"
      case .rtp(let track, _, let packet):
        guard let name = names[track], packet.count >= 12 else { continue }
        let source = packet[8..<12].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        packets[name, default: []].insert(source << 16 | UInt64(packet[2]) << 8 | UInt64(packet[3]))
      case .rtcp(let track, _, let packet):
        guard let name = names[track] else { continue }
        reports[name, default: []].formUnion(Journal.times(in: packet))
      case .end(let time, _): end = time.nanoseconds
      default: break
      }
    }
    guard let zero = follower.header?.zero else {
      throw LaboratoryProblem("\(folder.path): a journal without a header")
    }
    return Journal(packets: packets, reports: reports, zero: zero.nanoseconds, end: end)
  }

  /// What a second look has to change.
  func examine() throws -> Refinement {
    try TakeRefiner(folder: folder, root: root).examine(options: RenderOptions())
  }

  private func manifest() throws -> [UInt8]? {
    guard folder.has(TakeFolder.manifestName) else { return nil }
    return try folder.read(TakeFolder.manifestName)
  }

  /// The files as they are, nil until the take is finished; never files of two revisions.
  /// - Parameter isRefined: nil until the second look has replaced the first's files.
  func revision(isRefined: Bool = false) throws -> Revision? {
    while let manifest = try manifest() {
      let certificate = try Certificate(manifest)
      if isRefined && certificate.refinement == nil { return nil }
      var sound: [String: [Float]] = [:]
      for file in certificate.tracks.compactMap(\.file) {
        let reader = try SoundFileReader(file, in: folder)
        let samples = try reader.read(frames: Int(clamping: reader.frameCount))
        sound[file] =
          reader.channels == 1 ? samples : stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }
      }
      if try self.manifest() == manifest { return Revision(certificate: certificate, sound: sound) }
    }
    return nil
  }
}
