extension RTMPObjectMessage {
  /// The message with AMF0 values; as type 16 it has one more byte before it.
  func message(isAMF3: Bool = false) -> RTMPMessage {
    var body: [UInt8] = isAMF3 ? [0] : []
    body.append(text16: name)
    body.append(version, octets: 4)
    body.append(flags, octets: 4)
    body.append(UInt32(0), octets: 4)
    for event in events {
      let data = event.bytes
      body.append(event.number)
      body.append(UInt64(data.count), octets: 4)
      body.append(contentsOf: data)
    }
    return RTMPMessage(type: isAMF3 ? RTMPMessage.sharedObjectAMF3 : RTMPMessage.sharedObject, body: body)
  }
}

extension RTMPObjectEvent {
  /// What follows the length.
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .use, .release, .clear, .useSuccess, .requestClear: return []
    case .requestChange(let key, let value), .change(let key, let value), .changeEcho(let key, let value):
      return RTMPObjectEvent.slot(key, value)
    case .success(let key, let value):
      return RTMPObjectEvent.slot(key, value)
    case .remove(let key), .requestRemove(let key):
      return RTMPObjectEvent.slot(key, nil)
    case .message(let name, let arguments):
      return AMFWriter.bytes([.string(name)] + arguments)
    case .status(let code, let level):
      bytes.append(text16: code)
      bytes.append(text16: level)
      return bytes
    }
  }

  private static func slot(_ key: String, _ value: AMFValue?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text16: key)
    guard let value else { return bytes }
    var writer = AMFWriter(after: bytes)
    writer.write(value)
    return writer.bytes
  }
}
