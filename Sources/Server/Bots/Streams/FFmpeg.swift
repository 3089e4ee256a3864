import Glibc
import NIOCore
import Rooms
import Signaling

/// ffmpeg as a child process: reads a stream, gives Opus in Ogg.
///
/// What the bot can fetch by itself is written to ffmpeg, which may then open nothing. Only RTSP and SRT are its own
/// connections, to an address that has been checked.
struct FFmpeg: StreamSource {
  /// What it reads.
  enum Input: Hashable, Sendable {
    /// What `feed` writes.
    case pipe
    case rtsp(String)
    case srt(String, streamID: String?, passphrase: String?)
  }

  /// The name of the program, and of the coder in the journal.
  static let program = "ffmpeg"

  let input: Input
  let transcoders: Transcoders.Share
  /// Writes the input; returns true if the stream has an end, and that was it.
  let feed: @Sendable (ChildPipes.Write) async throws -> Bool

  /// Second encoding that is inaudible, as for RTMP.
  private static let output = [
    "-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-ac", "2", "-ar", "48000", "-c:a", "libopus", "-b:a",
    "256k", "-frame_duration", "20", "-flush_packets", "1", "-page_duration", "20000", "-f", "ogg", "pipe:1",
  ]
  /// What may come through the pipe: a playlist or a script there could name other files.
  private static let formats = "mpegts,aac,mp3,ogg,flac,wav,matroska,mov,ac3,eac3"
  /// Time for a connection and for each read of ffmpeg's own, in microseconds.
  private static let timeout = "15000000"

  var arguments: [String] {
    // Its words would show secrets in our log; the address stands in them.
    ["-hide_banner", "-loglevel", "quiet", "-nostdin"] + source + FFmpeg.output
  }

  private var source: [String] {
    switch input {
    case .pipe:
      // In the pace of the music: segments come all at once.
      ["-protocol_whitelist", "pipe", "-format_whitelist", FFmpeg.formats, "-re", "-i", "pipe:0"]
    case .rtsp(let address):
      ["-protocol_whitelist", "rtsp,rtp,tcp", "-rtsp_transport", "tcp", "-allowed_media_types", "audio"]
        + ["-timeout", FFmpeg.timeout, "-i", address]
    case .srt(let address, let streamID, let passphrase):
      ["-protocol_whitelist", "srt", "-format_whitelist", FFmpeg.formats, "-mode", "caller"]
        + ["-timeout", FFmpeg.timeout]
        + (streamID.map { ["-srt_streamid", $0] } ?? []) + (passphrase.map { ["-passphrase", $0] } ?? [])
        + ["-i", address]
    }
  }

  func run(_ sink: @escaping StreamSink) async -> GuestFault {
    do throws(RTMPCallError) {
      try transcoders.enterWithWorker()
    } catch {
      return GuestFault(.full, error.description)
    }
    defer { transcoders.leaveWithWorker() }
    var opus = OggOpusStream()
    let end = StreamEnd()
    do {
      try await ChildPipes.run(
        FFmpeg.program, arguments, needs: input == .pipe ? .pipes : .connections, confinedBy: transcoders.program
      ) { write in
        if try await feed(write) { end.reach() }
      } take: { chunk in
        for (tag, timestamp) in try opus.add(chunk.readableBytesView) { try await sink(tag, timestamp) }
      }
      if end.isReached { return .left }
      return opus.hasSound ? GuestFault(.lost, "the stream is over") : FFmpeg.nothing
    } catch let fault as GuestFault {
      return fault
    } catch let error as IOError where error.errnoCode == ENOENT {
      return GuestFault(.refused, "this kind of stream needs ffmpeg, which is not installed on the server")
    } catch is ChildFailure {
      return opus.hasSound ? GuestFault(.lost, "ffmpeg cannot read on") : FFmpeg.nothing
    } catch is CancellationError {
      return .left
    } catch {
      return GuestFault(.lost, "the stream cannot be read: \(error)")
    }
  }

  private static let nothing = GuestFault(
    .lost,
    "ffmpeg found no sound there: nobody sends, the address or a secret is wrong, or it is no sound that it reads")
}
