import Music
import Recording
import Signaling

extension Representation {
  /// An import with its files; `upload` is where the bytes of one go.
  static func importing(_ job: ImportJob, retention: Int64) -> JSONObject {
    let files = job.files.enumerated().map { index, file -> JSONValue in
      [
        "number": .integer(Int64(index + 1)), "name": .string(file.name),
        "modifiedAt": .optional(file.modifiedAt?.description), "received": .integer(file.received),
        "complete": .bool(file.isComplete), "upload": .string("/v1/imports/\(job.id)/files/\(index + 1)"),
      ]
    }
    let progress: JSONValue = .measure((job.progress * 1_000).rounded() / 1_000)
    return [
      "id": .string(job.id.description), "room": .string(job.room.description), "state": .string(job.state.rawValue),
      "progress": progress, "song": .optional(job.wish.song), "at": .optional(job.wish.startedAt?.description),
      "align": .bool(job.wish.aligns), "fromStart": .bool(job.wish.ignoresTimes), "again": .bool(job.wish.repeats),
      "name": .optional(job.wish.origin), "files": .array(files),
      "takes": .array(job.takes.map { .string($0.description) }),
      "known": .array(job.known.map { .string($0.description) }), "createdAt": .string(job.createdAt.description),
      "finishedAt": .optional(job.finishedAt?.description),
      "expiresAt": .optional(job.expiry(retention: retention)?.description), "problem": .optional(job.problem),
    ]
  }
}
