/// Which loudspeaker each channel is for (packet type 4 of Enhanced RTMP v2).
package enum AudioChannels: Hashable, Sendable {
  case unspecified(count: UInt8)
  /// A bit for each loudspeaker, in the order of the channels.
  case native(count: UInt8, mask: UInt32)
  /// A loudspeaker's number for each channel.
  case custom([UInt8])

  init?(_ reader: inout ByteReader) {
    guard let order = reader.u8(), let count = reader.u8() else { return nil }
    switch order {
    case 0: self = .unspecified(count: count)
    case 1:
      guard let mask = reader.u32() else { return nil }
      self = .native(count: count, mask: mask)
    case 2:
      guard let mapping = reader.take(Int(count)) else { return nil }
      self = .custom(Array(mapping))
    default: return nil
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .unspecified(let count): return [0, count]
    case .native(let count, let mask):
      var bytes: [UInt8] = [1, count]
      bytes.append(mask, octets: 4)
      return bytes
    case .custom(let mapping):
      let mapping = mapping.prefix(Int(UInt8.max))
      return [2, UInt8(mapping.count)] + mapping
    }
  }
}
