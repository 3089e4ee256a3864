import Machines
import Music

/// The beginning of a journal: the identity of the take and its start.
package struct JournalHeader: Hashable, Sendable {
  /// Version of the format; writers always write `JournalFormat.version`.
  package var version: UInt16
  package var take: TakeID
  /// The take's number within its room and song, from 1.
  package var number: Int
  package var room: RoomName
  package var session: SessionID
  package var song: Song?
  /// Wall time of the take's zero; informative only.
  package var startedAt: WallTime
  /// The take's zero on the recorder's monotonic clock: sample 0 of every track lies here.
  package var zero: MonotonicTime
  /// Name and version of the recorder, "jamjar 1.0.0".
  package var software: String
  /// Further information of the recorder, by name.
  package var options: [String: String]

  package init(
    take: TakeID, number: Int, room: RoomName, session: SessionID, song: Song? = nil, startedAt: WallTime,
    zero: MonotonicTime, software: String, options: [String: String] = [:]
  ) {
    version = JournalFormat.version
    self.take = take
    self.number = number
    self.room = room
    self.session = session
    self.song = song
    self.startedAt = startedAt
    self.zero = zero
    self.software = software
    self.options = options
  }

  /// The header of `take`, whose zero is `zero`.
  package init(take: Take, zero: MonotonicTime, software: String, options: [String: String] = [:]) {
    self.init(
      take: take.id, number: take.number, room: take.room, session: take.session, song: take.song,
      startedAt: take.startedAt, zero: zero, software: software, options: options)
  }

  /// The take described by this header, for a folder that the index has lost.
  package func take(inFolder folder: String) -> Take {
    Take(
      id: take, number: number, state: .captured, room: room, session: session, song: song, startedAt: startedAt,
      folder: folder)
  }
}

extension JournalHeader {
  /// The header's bytes with their checksum.
  var encoded: [UInt8] {
    var body = JournalSink()
    body.append(take.ulid)
    body.append(UInt32(clamping: number))
    body.append(room.description)
    body.append(session.ulid)
    body.append(UInt8(song == nil ? 0 : 1))
    if let song {
      body.append(song.id.ulid)
      body.append(song.title)
    }
    body.append(startedAt.bitPattern)
    body.append(zero.nanoseconds)
    body.append(software)
    // Options that do not fit are left out, so that the header is always readable.
    var chosen = JournalSink()
    var count: UInt16 = 0
    for (name, value) in options.sorted(by: { $0.key < $1.key }) {
      let room = JournalFormat.maximumHeader - body.bytes.count - chosen.bytes.count - 2
      // in range: constants
      guard room >= 2 * (JournalFormat.maximumText + 2) else { break }
      chosen.append(name)
      chosen.append(value)
      count += 1
    }
    body.append(count)

    var whole = JournalSink()
    for byte in JournalFormat.magic { whole.append(byte) }
    whole.append(version)
    whole.append(UInt16(0))
    whole.append(UInt32(body.bytes.count + chosen.bytes.count))
    // in range: lists
    let content = whole.bytes + body.bytes + chosen.bytes
    var sum = JournalSink()
    sum.append(CRC32C.of(content))
    // in range: lists
    return content + sum.bytes
  }

  /// Decodes the beginning of a journal: returns the header and its length in bytes, or nil if more bytes are needed.
  static func decode(
    _ bytes: ArraySlice<UInt8>
  ) throws(JournalDamage) -> (header: JournalHeader, length: Int, checksum: UInt32)? {
    guard bytes.prefix(JournalFormat.magic.count).elementsEqual(JournalFormat.magic.prefix(bytes.count)) else {
      throw .notAJournal
    }
    guard bytes.count >= JournalFormat.headerPrefix else { return nil }
    do {
      var prefix = JournalBody(bytes.dropFirst(JournalFormat.magic.count))
      let version = try prefix.number(UInt16.self)
      guard version > 0 else { throw JournalDamage.damagedHeader("it says version 0, and the first was 1") }
      guard version <= JournalFormat.version else {
        throw JournalDamage.newerVersion(found: version, supported: JournalFormat.version)
      }
      _ = try prefix.number(UInt16.self)
      let count = Int(try prefix.number(UInt32.self))
      guard count <= JournalFormat.maximumHeader else {
        throw JournalDamage.damagedHeader(
          "it claims \(count) bytes; the maximum is \(JournalFormat.maximumHeader)")
      }
      let end = JournalFormat.headerPrefix + count
      guard bytes.count >= end + JournalFormat.checksumLength else { return nil }
      let body = try prefix.take(count)
      let checksum = try prefix.number(UInt32.self)
      guard CRC32C.of(Array(bytes.prefix(end))) == checksum else {
        throw JournalDamage.damagedHeader("its checksum does not match its contents")
      }
      let header = try JournalHeader(version: version, body: body)
      return (header, end + JournalFormat.checksumLength, checksum)
    } catch let damage as JournalDamage {
      throw damage
    } catch {
      throw .damagedHeader("\(error)")
    }
  }

  private init(version: UInt16, body bytes: ArraySlice<UInt8>) throws(JournalBody.Malformed) {
    var body = JournalBody(bytes)
    let take = TakeID(try body.ulid())
    let number = Int(try body.number(UInt32.self))
    let room = try body.roomName()
    let session = SessionID(try body.ulid())
    var song: Song?
    if try body.number(UInt8.self) != 0 { song = Song(id: SongID(try body.ulid()), title: try body.text()) }
    let startedAt = WallTime(nanoseconds: try body.number(Int64.self))
    let zero = MonotonicTime(nanoseconds: try body.number(Int64.self))
    let software = try body.text()
    var options: [String: String] = [:]
    for _ in 0..<(try body.number(UInt16.self)) {
      let name = try body.text()
      options[name] = try body.text()
    }
    self.init(
      take: take, number: number, room: room, session: session, song: song, startedAt: startedAt, zero: zero,
      software: software, options: options)
    self.version = version
  }
}
