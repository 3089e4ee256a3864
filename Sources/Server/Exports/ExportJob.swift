import Music
import Recording
import Signaling

/// One export: waiting, running, finished, failed or cancelled.
struct ExportJob: Hashable, Sendable, Codable {
  /// The state of an export.
  enum State: String, Hashable, Sendable, Codable, CaseIterable {
    case queued, running, done, failed, cancelled

    /// True if the export has ended.
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
  /// The file name for downloads.
  var downloadName: String
  var state: State = .queued
  /// 0 to 1.
  var progress: Double = 0
  let createdAt: WallTime
  var finishedAt: WallTime?
  /// The file in the export's folder, once finished.
  var file: String?
  /// In bytes.
  var size: Int64?
  /// The reason for a failure.
  var problem: String?

  /// The format's name; formats of a later release must not make an older one's files unreadable.
  typealias ExportFormatName = String

  /// The time of its removal.
  func expiry(retention: Int64) -> WallTime? {
    finishedAt.map { WallTime(milliseconds: $0.milliseconds + retention * 1_000) }
  }
}
