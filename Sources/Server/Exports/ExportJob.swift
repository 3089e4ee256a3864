import Music
import Recording
import Signaling

/// One export: waiting, being made, there, or not.
struct ExportJob: Hashable, Sendable {
  /// How far it has come.
  enum State: String, Hashable, Sendable, CaseIterable {
    case queued, running, done, failed, cancelled

    /// True where nothing more will happen to it.
    var isOver: Bool { self == .done || self == .failed || self == .cancelled }
  }

  /// 32 hexadecimal digits.
  let id: String
  let take: TakeID
  let room: RoomName
  let kind: ExportKind
  let format: ExportFormatName
  /// In Hz.
  let rate: Int
  /// The name under which it is stored by whoever downloads it.
  var downloadName: String
  var state: State = .queued
  /// 0 to 1.
  var progress: Double = 0
  let createdAt: WallTime
  var finishedAt: WallTime?
  /// The file in the export's folder, once it is there.
  var file: String?
  /// In bytes.
  var size: Int64?
  /// Why it failed.
  var problem: String?

  /// The format's name; formats of a later release must not make an older one's files unreadable.
  typealias ExportFormatName = String

  /// When it is removed.
  func expiry(retention: Int64) -> WallTime? {
    finishedAt.map { WallTime(milliseconds: $0.milliseconds + retention * 1_000) }
  }
}
