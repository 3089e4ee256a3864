import CAVCodec
import Glibc
import Rooms

/// The process that decodes or encodes one stream with libavcodec: messages in on standard input, out on standard
/// output, until the input ends.
///
/// Nothing of the service is at stake in it: a stream that takes it over has two pipes, no file and no network.
package enum CodecWorker {
  /// The word of the hidden command that calls `run`.
  package static let command = "codec-worker"
  /// The name in process lists.
  package static let processName = "jamjar-codec"

  /// Bytes of memory of its own. A decoder or an encoder needs less than 64 MiB with its libraries.
  private static let memory: UInt64 = 512 << 20
  private static let descriptors: UInt64 = 64
  /// Seconds of processor time until the next batch of messages; a message needs less than a hundredth.
  private static let time: UInt64 = 60
  private static let messagesPerBatch = 1_000

  /// Serves the process that started this one.
  package static func run() {
    Confinement.begin(as: processName, niceness: 0)
    // Before the confinement, which permits no further library.
    _ = jamjar_codec_load()
    Confinement.limit(memory: memory, descriptors: descriptors)
    Confinement([]).enforce()
    var messages = 0
    serve(input: STDIN_FILENO, output: STDOUT_FILENO) {
      // Renewed, because a stream may last for weeks; one frame may not.
      if messages % messagesPerBatch == 0 { Confinement.limitTime(seconds: time) }
      messages += 1
    }
  }

  /// Answers the messages from `input` on `output` until either ends. Blocks.
  static func serve(input: Int32, output: Int32, onMessage: () -> Void = {}) {
    var inbox = CodecInbox()
    var converter = CodecConverter()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(input, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      inbox.append(chunk.prefix(count))
      do {
        while let message = try inbox.next() {
          onMessage()
          for answer in converter.answers(to: message) {
            guard write(answer.bytes, to: output) else { return }
          }
        }
      } catch {
        _ = write(CodecMessage.refused(error.description).bytes, to: output)
        return
      }
    }
    if let rest = converter.rest() { _ = write(rest.bytes, to: output) }
  }

  /// False if nobody reads any more.
  private static func write(_ bytes: [UInt8], to output: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
