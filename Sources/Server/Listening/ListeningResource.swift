import HTTPTypes
import Hummingbird
import Music
import NIOPosix
import Recording
import Signaling

extension TakeFilesResource {
  /// `GET /v1/takes/{take}/mix/listening/{segment}` and the same of a track.
  ///
  /// - Parameter sound: the name of the sound file.
  func segment(
    of sound: String, in take: Take, _ request: Request, _ context: ExchangeContext
  ) async throws -> Response {
    let text = try context.part("segment")
    guard text.utf8.count <= 7, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
      throw Problem.invalid("segment", value: text, "a segment has a number from 0 on", permitted: ["0…"])
    }
    let (file, _) = try await open(firstOf: [sound], of: take)
    let root = recordings
    let found = try await NIOThreadPool.singleton.runIfActive { () -> (bytes: [UInt8]?, count: Int)? in
      guard let segments = try ListeningFile(for: sound, in: TakeFolder(existing: take.folder, in: root)) else {
        return nil
      }
      return (try segments.segment(number), segments.count)
    }
    guard let found else {
      guard listening.make(take, isWanted: true) else {
        throw Problem.notFound("a take in the trash gets no segments for listening; restore it first")
      }
      // No refusal: a browser would write one into its console for each take that has just ended.
      return .empty(.accepted, headers: [.retryAfter: "5"])
    }
    guard let bytes = found.bytes else {
      throw Problem.notFound("the sound has the segments 0 to \(found.count - 1) of 2 s each")
    }
    let contents = DerivedContents(
      bytes: bytes, modified: file.modified, tag: EntityTag("\(file.tag.value)-listening-\(number)"))
    return try FileResponse(file: contents, contentType: "audio/ogg", downloadName: nil).response(to: request)
  }
}
