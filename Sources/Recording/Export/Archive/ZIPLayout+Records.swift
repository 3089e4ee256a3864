import Music

// Records of APPNOTE.TXT 6.3.10: sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14 to 4.3.16 (ends).
extension ZIPLayout {
  /// Sizes, offsets and counts from this value on are stored in ZIP64 fields (4.4.1.4: the value itself is the
  /// marker).
  static let limit32 = Int64(UInt32.max)
  static let limit16 = Int(UInt16.max)

  private static let headerSignature: UInt32 = 0x0403_4B50
  private static let recordSignature: UInt32 = 0x0201_4B50
  private static let end64Signature: UInt32 = 0x0606_4B50
  private static let locatorSignature: UInt32 = 0x0706_4B50
  private static let endSignature: UInt32 = 0x0605_4B50
  /// Lengths of the records without names and extra fields.
  private static let headerBase: Int64 = 30
  private static let recordBase: Int64 = 46
  private static let end64Base: Int64 = 56
  private static let locatorBase: Int64 = 20
  private static let endBase: Int64 = 22
  /// "Extended timestamp" of Info-ZIP: identifier, length, flags, seconds.
  private static let timeExtra: UInt16 = 0x5455
  private static let timeExtraLength: Int64 = 9
  private static let zip64Extra: UInt16 = 0x0001
  /// Bit 11: names are UTF-8 (4.4.4).
  private static let utf8Flag: UInt16 = 1 << 11
  /// Unix mode in the upper half: a regular file, readable by all and writable by its owner.
  private static let attributes: UInt32 = 0o100644 << 16
  private static let unix: UInt16 = 3 << 8
  /// Version 1.0 reads stored files, 4.5 reads ZIP64.
  private static let plainVersion: UInt16 = 10
  private static let zip64Version: UInt16 = 45

  /// Length of the header in front of `entry`'s contents.
  static func headerLength(_ entry: Entry) -> Int64 {
    headerBase + Int64(entry.name.utf8.count) + (entry.size >= limit32 ? 20 : 0) + timeLength(entry)
  }

  /// Length of `entry`'s record in the directory.
  static func directoryRecordLength(_ entry: Entry, at offset: Int64) -> Int64 {
    let fields = (entry.size >= limit32 ? 16 : 0) + (offset >= limit32 ? 8 : 0)
    return recordBase + Int64(entry.name.utf8.count) + Int64(fields > 0 ? fields + 4 : 0) + timeLength(entry)
  }

  /// Length of the end records of the directory.
  static func endLength(_ count: Int, _ directorySize: Int64, _ directoryOffset: Int64) -> Int64 {
    endBase + (needs64(count, directorySize, directoryOffset) ? end64Base + locatorBase : 0)
  }

  /// The header in front of the contents of entry `index`.
  func header(of index: Int, checksum: UInt32) -> [UInt8] {
    let entry = entries[index]
    let isLong = entry.size >= ZIPLayout.limit32
    let time = ZIPTime(entry.modified)
    var bytes = JournalSink()
    bytes.append(ZIPLayout.headerSignature)
    bytes.append(isLong ? ZIPLayout.zip64Version : ZIPLayout.plainVersion)
    ZIPLayout.appendCommon(entry, time, checksum, to: &bytes)
    bytes.append(UInt16((isLong ? 20 : 0) + ZIPLayout.timeLength(entry)))
    var record = bytes.bytes + Array(entry.name.utf8)
    var extra = JournalSink()
    if isLong {
      extra.append(ZIPLayout.zip64Extra)
      extra.append(UInt16(16))
      extra.append(entry.size)
      extra.append(entry.size)
    }
    ZIPLayout.append(time, to: &extra)
    record += extra.bytes
    return record
  }

  /// The whole directory with its end records; `checksums` are in the order of the entries.
  func directory(checksums: [UInt32]) -> [UInt8] {
    var all: [UInt8] = []
    for (index, checksum) in zip(entries.indices, checksums) { all += record(of: index, checksum: checksum) }
    var end = JournalSink()
    let count = entries.count
    if ZIPLayout.needs64(count, directorySize, directoryOffset) {
      end.append(ZIPLayout.end64Signature)
      end.append(ZIPLayout.end64Base - 12)
      end.append(ZIPLayout.unix | ZIPLayout.zip64Version)
      end.append(ZIPLayout.zip64Version)
      end.append(UInt32(0))
      end.append(UInt32(0))
      end.append(Int64(count))
      end.append(Int64(count))
      end.append(directorySize)
      end.append(directoryOffset)
      end.append(ZIPLayout.locatorSignature)
      end.append(UInt32(0))
      end.append(directoryOffset + directorySize)
      end.append(UInt32(1))
    }
    end.append(ZIPLayout.endSignature)
    end.append(UInt16(0))
    end.append(UInt16(0))
    end.append(UInt16(clamping: count))
    end.append(UInt16(clamping: count))
    end.append(UInt32(clamping: directorySize))
    end.append(UInt32(clamping: directoryOffset))
    end.append(UInt16(0))
    return all + end.bytes
  }

  private func record(of index: Int, checksum: UInt32) -> [UInt8] {
    let (entry, offset) = (entries[index], offsets[index])
    let time = ZIPTime(entry.modified)
    var long = JournalSink()
    // Only fields that do not fit appear here, in this order (4.5.3).
    if entry.size >= ZIPLayout.limit32 {
      long.append(entry.size)
      long.append(entry.size)
    }
    if offset >= ZIPLayout.limit32 { long.append(offset) }
    var extra = JournalSink()
    if !long.bytes.isEmpty {
      extra.append(ZIPLayout.zip64Extra)
      extra.append(UInt16(long.bytes.count))
    }
    var extraBytes = extra.bytes + long.bytes
    var stamp = JournalSink()
    ZIPLayout.append(time, to: &stamp)
    extraBytes += stamp.bytes
    let version = long.bytes.isEmpty ? ZIPLayout.plainVersion : ZIPLayout.zip64Version
    var bytes = JournalSink()
    bytes.append(ZIPLayout.recordSignature)
    bytes.append(ZIPLayout.unix | ZIPLayout.zip64Version)
    bytes.append(version)
    ZIPLayout.appendCommon(entry, time, checksum, to: &bytes)
    bytes.append(UInt16(extraBytes.count))
    bytes.append(UInt16(0))
    bytes.append(UInt16(0))
    bytes.append(UInt16(0))
    bytes.append(ZIPLayout.attributes)
    bytes.append(UInt32(clamping: offset))
    return bytes.bytes + Array(entry.name.utf8) + extraBytes
  }

  /// Appends the fields shared by header and directory record, from the flags to the length of the name.
  private static func appendCommon(_ entry: Entry, _ time: ZIPTime, _ checksum: UInt32, to bytes: inout JournalSink) {
    bytes.append(utf8Flag)
    // Method 0: stored.
    bytes.append(UInt16(0))
    bytes.append(time.time)
    bytes.append(time.date)
    bytes.append(checksum)
    bytes.append(UInt32(clamping: entry.size))
    bytes.append(UInt32(clamping: entry.size))
    bytes.append(UInt16(entry.name.utf8.count))
  }

  private static func append(_ time: ZIPTime, to bytes: inout JournalSink) {
    guard let unix = time.unix else { return }
    bytes.append(timeExtra)
    bytes.append(UInt16(timeExtraLength - 4))
    // Bit 0: the modification time is present.
    bytes.append(UInt8(1))
    bytes.append(unix)
  }

  private static func timeLength(_ entry: Entry) -> Int64 {
    ZIPTime(entry.modified).unix == nil ? 0 : timeExtraLength
  }

  private static func needs64(_ count: Int, _ directorySize: Int64, _ directoryOffset: Int64) -> Bool {
    count >= limit16 || directorySize >= limit32 || directoryOffset >= limit32
  }
}

/// A time as stored in ZIP archives: DOS words (UTC here, to two seconds) and Unix seconds.
struct ZIPTime: Hashable, Sendable {
  /// Hours, minutes and half seconds in 5, 6 and 5 bits.
  let time: UInt16
  /// Years since 1980, month and day in 7, 4 and 5 bits.
  let date: UInt16
  /// Seconds since 1970; nil if they do not fit the extra field's 32 bits (from 2038 on).
  let unix: Int32?

  /// 1980-01-01, the earliest DOS time.
  private static let earliest: Int64 = 315_532_800
  /// 2107-12-31 23:59:58, the latest.
  private static let latest: Int64 = 4_354_819_198

  init(_ wall: WallTime) {
    // Rounded down: a file is never younger than its time stamp.
    let seconds = wall.milliseconds >= 0 ? wall.milliseconds / 1_000 : (wall.milliseconds - 999) / 1_000
    unix = Int32(exactly: seconds)
    let clamped = min(max(seconds, ZIPTime.earliest), ZIPTime.latest)
    let digits = Array(WallTime(milliseconds: clamped * 1_000).description.utf8)
    func number(_ range: Range<Int>) -> Int {
      digits[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
    // "2026-11-21T02:56:09.123Z": always this shape between 1980 and 2107.
    date = UInt16((number(0..<4) - 1_980) << 9 | number(5..<7) << 5 | number(8..<10))
    time = UInt16(number(11..<13) << 11 | number(14..<16) << 5 | number(17..<19) / 2)
  }
}
