// Arithmetic in this file is in range: places are compared with the size first, and a file has 2^60 bytes at most.

import HTTPTypes
import Hummingbird
import Machines
import Music
import Recording
import Signaling

/// A musician's upload as it came: its samples, or the same as a WAV file that every program opens.
struct OriginalFile: DownloadContents {
  /// The forms in which it is sent.
  enum Form: String, CaseIterable {
    case wav, raw
  }

  private let samples: RecordedFile
  private let head: [UInt8]
  private let tail: [UInt8]
  let tag: EntityTag

  var size: Int64 { samples.size + Int64(head.count + tail.count) }
  var modified: HTTPDate { samples.modified }

  /// - Throws: `RecordedFile.Failure.missing` if the samples were removed.
  static func open(_ backup: Backup, as form: Form, in folder: String, of root: String) async throws -> OriginalFile {
    let samples = try await RecordedFile.open(BackupFile.samplesName(of: backup.id), in: folder, of: root)
    let wave = WaveHead(size: samples.size, channels: backup.channels, rate: backup.sampleRate)
    return OriginalFile(samples, form == .wav ? (wave.head, wave.tail) : ([], []), form)
  }

  private init(_ samples: RecordedFile, _ around: (head: [UInt8], tail: [UInt8]), _ form: Form) {
    self.samples = samples
    (head, tail) = around
    tag = EntityTag("\(samples.tag.value)-\(form.rawValue)")
  }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= size, Int64(count) <= size - offset else {
      throw RecordedFile.Failure.truncated
    }
    let end = offset + Int64(count)
    let (first, last) = (Int64(head.count), Int64(head.count) + samples.size)
    var bytes = Array(head[Int(min(offset, first))..<Int(min(end, first))])
    let inside = max(offset, first)..<max(offset, first, min(end, last))
    if !inside.isEmpty { bytes += try await samples.read(at: inside.lowerBound - first, count: inside.count) }
    if end > last { bytes += tail[Int(max(offset, last) - last)..<Int(end - last)] }
    return bytes
  }
}

extension BackupsResource {
  /// `GET /v1/backups/{backup}/original`.
  func original(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try request.checkQuery(only: ["format"])
    let (upload, take) = try await find(context)
    let form = try BackupsResource.form(request)
    let contents = upload.now
    let backup = contents.backup
    guard contents.hasOriginal else {
      throw Problem.noOriginal(contents, backups.configuration)
    }
    let file: OriginalFile
    do {
      file = try await OriginalFile.open(backup, as: form, in: take.folder, of: backups.recordings)
    } catch RecordedFile.Failure.missing {
      throw Problem.noOriginal(contents, backups.configuration)
    }
    let name = "\(take.room) \(take.number) - original \(backup.id).\(form == .wav ? "wav" : "pcm")"
    var response = try FileResponse(
      file: file, contentType: form == .wav ? "audio/wav" : "application/octet-stream", downloadName: name
    ).response(to: request)
    if form == .raw, let sum = backup.sha256.flatMap(BackupsResource.bytes) {
      // RFC 9530, section 3.
      response.headers[.representationDigest] = "sha-256=:\(Base64.standard.encode(sum)):"
    }
    return response
  }

  private static func form(_ request: Request) throws(Problem) -> OriginalFile.Form {
    guard let text = request.query("format") else { return .wav }
    guard let form = OriginalFile.Form(rawValue: text) else {
      throw Problem.invalid(
        "format", value: text, "there is no format \"\(text.prefix(64))\" of an original",
        permitted: OriginalFile.Form.allCases.map(\.rawValue))
    }
    return form
  }

  /// The bytes of hexadecimal digits; nil for anything else.
  private static func bytes(_ digits: String) -> [UInt8]? {
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == digits.count, values.count == 2 * SHA256.length else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}

extension Problem {
  static func noOriginal(_ contents: BackupUpload.Contents, _ configuration: BackupConfiguration) -> Problem {
    guard contents.backup.state == .ready else {
      return notFound(
        "the backup is \"\(contents.backup.state.rawValue)\"; its original can be downloaded once it is \"ready\"")
    }
    let days = configuration.originals / BackupConfiguration.day
    return notFound(
      "the samples of this backup are no longer kept, only the aligned track is; this service keeps originals for "
        + "\(days) days (--keep-originals)")
  }
}

extension HTTPField.Name {
  /// A constant name is a valid token, so the alternative is never taken.
  static let representationDigest = HTTPField.Name("Repr-Digest") ?? .contentRange
}
