import Foundation
import Music
import Realtime

/// A recording of the Janus WebRTC server (`.mjr`): RTP packets in the order of their arrival, behind a header in JSON.
///
/// The frames are those of its `record.c`: "MJR00002", the header's length and text, and for each packet "MEET", its
/// arrival in milliseconds after the first, its length and its bytes. "MJR00001" has "MEETECHO" and no arrival times.
package struct JanusRecording {
  /// Of the header, as far as it is needed.
  private struct Header: Decodable {
    /// "a" for audio.
    var t: String?
    var c: String?
    /// When the recording began and its first packet was written, in microseconds since 1970.
    var s: Int64?
    var u: Int64?
    /// What the application says about the stream.
    var d: String?
    /// True if it is end-to-end encrypted.
    var e: Bool?
    /// The payload type of redundant audio.
    var or: Int?
  }

  private static let magic = Array("MJR0000".utf8)
  /// A jump of RTP time by more than this is a new stream, in samples: half a minute.
  private static let longestJump: Int64 = 30 * 48_000
  /// The latest plausible time, in microseconds since 1970: of the year 2200.
  private static let latest: Int64 = 7_258_118_400_000_000

  package let sound: EncodedSound
  /// When the first packet arrived, by the server's clock.
  package let startedAt: WallTime?
  /// What the application calls the stream.
  package let description: String?
  /// True if the file ends within a packet.
  package let isCut: Bool

  /// True unless the file says that it is of something else than sound.
  static func isSound(_ bytes: SequentialBytes) -> Bool {
    guard let header = try? header(of: bytes, "") else { return true }
    return header.header.t == nil || header.header.t == "a"
  }

  /// - Parameters:
  ///   - name: the file in error messages.
  ///   - temporary: the folder for temporary files; nil for the system's.
  /// - Throws: `ImportProblem`, `FileProblem`.
  package init(_ bytes: SequentialBytes, name: String, temporary: String? = nil) throws {
    let (header, hasArrivals) = try JanusRecording.header(of: bytes, name)
    guard header.t == "a", header.c?.lowercased() == "opus" else {
      let kinds = ["a": "sound", "v": "video", "d": "data"]
      let what = header.t.flatMap { kinds[$0] } ?? "an unknown stream"
      throw ImportProblem("\(name) is a Janus recording of \(what) in \(header.c ?? "no codec"); name one of Opus")
    }
    guard header.e != true else {
      throw ImportProblem("\(name) is end-to-end encrypted; only the musicians' browsers can decrypt it")
    }
    var timeline = Timeline(
      spool: try PacketSpool(in: temporary), redundancy: header.or.flatMap { UInt8(exactly: $0) })
    var isCut = false
    while let mark = try bytes.bytes(4) {
      let rest = try bytes.bytes(4)
      guard let rest, mark == Array("MEET".utf8), hasArrivals || rest == Array("ECHO".utf8),
        let length = try bytes.number(2), let packet = try bytes.bytes(Int(length))
      else {
        isCut = true
        break
      }
      let arrival = hasArrivals ? Int64(rest.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) : nil
      try timeline.add(packet, arrival: arrival)
    }
    guard let sound = try timeline.spool.finish() else {
      throw ImportProblem("\(name) has no sound in it")
    }
    self.sound = sound
    self.isCut = isCut
    description = header.d
    startedAt = (header.u ?? header.s).flatMap { (0...JanusRecording.latest).contains($0) ? $0 : nil }
      .map { WallTime(nanoseconds: $0 &* 1_000) }
  }

  private static func header(of bytes: SequentialBytes, _ name: String) throws -> (header: Header, hasArrivals: Bool) {
    guard let mark = try bytes.bytes(8), mark.starts(with: magic), let version = mark.last,
      let length = try bytes.number(2), let text = try bytes.bytes(Int(length)),
      let header = try? JSONDecoder().decode(Header.self, from: Data(text))
    else {
      throw ImportProblem(
        "\(name) is no Janus recording that can be read: it must begin with MJR00001 or MJR00002 and a header in JSON")
    }
    return (header, version >= UInt8(ascii: "2"))
  }

  /// Where packets lie, by their RTP time; after a new beginning of it, by their arrival.
  private struct Timeline {
    var spool: PacketSpool
    let redundancy: UInt8?
    private var payloadType: UInt8?
    private var source: UInt32?
    /// The latest packet, extended.
    private var sequence: Int64 = 0
    private var position: Int64 = 0
    private var latest: (sequence: UInt16, timestamp: UInt32) = (0, 0)

    init(spool: PacketSpool, redundancy: UInt8?) {
      (self.spool, self.redundancy) = (spool, redundancy)
    }

    mutating func add(_ bytes: [UInt8], arrival: Int64?) throws {
      guard let header = try? RTPPacket(parsing: bytes).header else { return }
      if payloadType == nil, header.payloadType != redundancy { payloadType = header.payloadType }
      let stream = JournalStream(
        opusPayloadType: payloadType ?? header.payloadType, redPayloadType: redundancy)
      guard let audio = IncomingAudio(bytes, stream: stream), !audio.payload.isEmpty else { return }
      let steps = Int64(Int16(bitPattern: audio.sequence &- latest.sequence))
      let samples = Int64(Int32(bitPattern: audio.timestamp &- latest.timestamp))
      let isNew = source != audio.source || abs(samples) > JanusRecording.longestJump
      let (number, place): (Int64, Int64)
      if source == nil {
        (number, place) = (0, 0)
      } else if isNew {
        number = sequence &+ 1
        place = max(spool.end, arrival.map { $0 &* 48 } ?? spool.end)
      } else {
        (number, place) = (sequence &+ steps, position &+ samples)
      }
      for (index, copy) in audio.redundancy.enumerated() {
        try spool.add(
          copy.payload, sequence: number &- Int64(audio.redundancy.count &- index),
          position: place &- Int64(copy.offset), isRedundant: true)
      }
      try spool.add(audio.payload, sequence: number, position: place)
      // A late packet is no new reference, so that distances stay short.
      guard source == nil || isNew || steps > 0 else { return }
      source = audio.source
      (sequence, position, latest) = (number, place, (audio.sequence, audio.timestamp))
    }
  }
}
