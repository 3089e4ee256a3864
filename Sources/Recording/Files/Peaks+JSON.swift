extension Peaks {
  /// Bytes before the pixels of the binary form.
  private static let headLength = 24

  /// The binary form (audiowaveform, version 2, 8 bit) as audiowaveform's JSON; nil where it is something else.
  package static func json(ofBinary bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= headLength else { return nil }
    let words = (0..<6).map { word in
      bytes[(word * 4)..<(word * 4 + 4)].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    let (version, flags, length, channels) = (words[0], words[1], Int(words[4]), Int(words[5]))
    let (count, overflows) = length.multipliedReportingOverflow(by: channels.multipliedReportingOverflow(by: 2).0)
    guard version == 2, flags & 1 == 1, channels >= 1, channels <= 24, !overflows, bytes.count == headLength + count
    else { return nil }
    let head =
      "{\"version\":2,\"channels\":\(channels),\"sample_rate\":\(words[2]),\"samples_per_pixel\":\(words[3]),"
      + "\"bits\":8,\"length\":\(length),\"data\":["
    var json = Array(head.utf8)
    json.reserveCapacity(json.count + count * 4)
    for (place, byte) in bytes.dropFirst(headLength).enumerated() {
      if place > 0 { json.append(UInt8(ascii: ",")) }
      var magnitude = Int8(bitPattern: byte).magnitude
      if Int8(bitPattern: byte) < 0 { json.append(UInt8(ascii: "-")) }
      if magnitude >= 100 {
        json.append(UInt8(ascii: "1"))
        magnitude -= 100
        json.append(UInt8(ascii: "0") + magnitude / 10)
      } else if magnitude >= 10 {
        json.append(UInt8(ascii: "0") + magnitude / 10)
      }
      json.append(UInt8(ascii: "0") + magnitude % 10)
    }
    json += Array("]}\n".utf8)
    return json
  }
}
