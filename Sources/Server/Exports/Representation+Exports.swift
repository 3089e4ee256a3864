import Music
import Recording
import Signaling

extension Representation {
  /// An export; `file` is the download address, null until it is finished.
  static func export(_ job: ExportJob, retention: Int64) -> JSONObject {
    let size: JSONValue = job.size.map { .integer($0) } ?? .null
    let progress: JSONValue = .measure((job.progress * 1_000).rounded() / 1_000)
    let file = job.state == .done ? "/v1/exports/\(job.id)/file" : nil
    let expiry = job.expiry(retention: retention)?.description
    return [
      "id": .string(job.id), "take": .string(job.take.description), "room": .string(job.room.description),
      "kind": .string(job.kind.rawValue), "format": .string(job.format), "rate": .integer(Int64(job.rate)),
      "state": .string(job.state.rawValue), "progress": progress,
      "createdAt": .string(job.createdAt.description), "finishedAt": .optional(job.finishedAt?.description),
      "expiresAt": .optional(expiry), "name": .string(job.downloadName),
      "size": size,
      "file": .optional(file), "problem": .optional(job.problem),
    ]
  }
}
