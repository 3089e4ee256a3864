extension JSONRPCID {
  /// Finds the identifier in a text that was not parsed, so that the request can be answered all the same.
  ///
  /// Looks for the member "id" of the outermost object, and at nothing else: one pass, and no memory. Nil if there is
  /// none, or more than one.
  init?(scanning text: String) {
    var text = text
    let found = text.withUTF8 { bytes in
      var scan = IdentifierScan(bytes: bytes)
      return scan.run()
    }
    guard let found else { return nil }
    self = found
  }
}

/// One pass over a text for the identifier of its request.
private struct IdentifierScan {
  let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0
  private var depth = 0
  /// True where a name of the outermost object comes next.
  private var isName = false
  /// True while the value of "id" comes next.
  private var isIdentifier = false

  init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  mutating func run() -> JSONRPCID? {
    var found: JSONRPCID?
    while offset < bytes.count {
      let start = offset
      offset &+= 1
      switch bytes[start] {
      case UInt8(ascii: "\""):
        guard let end = endOfString() else { return nil }
        let content = UnsafeBufferPointer(rebasing: bytes[start &+ 1..<end])
        if depth == 1, isName {
          isIdentifier = content.elementsEqual("id".utf8)
        } else if isIdentifier, depth == 1 {
          guard found == nil, let id = JSONRPCID(.string(String(decoding: content, as: UTF8.self))) else { return nil }
          found = id
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        // An identifier is neither, and a request is an object.
        guard !isIdentifier || depth != 1, depth > 0 || bytes[start] == UInt8(ascii: "{") else { return nil }
        depth &+= 1
        isName = depth == 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      case UInt8(ascii: ":") where depth == 1: isName = false
      case UInt8(ascii: ",") where depth == 1: (isName, isIdentifier) = (true, false)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard depth == 1, isIdentifier else { continue }
        while offset < bytes.count, IdentifierScan.continuesNumber(bytes[offset]) { offset &+= 1 }
        let number = UnsafeBufferPointer(rebasing: bytes[start..<offset])
        guard found == nil, let value = try? JSONValue(parsing: Array(number)), let id = JSONRPCID(value) else {
          return nil
        }
        found = id
      default: break
      }
    }
    return found
  }

  /// Skips a string whose opening quotation mark was read; returns the place of the closing one.
  private mutating func endOfString() -> Int? {
    while offset < bytes.count {
      let byte = bytes[offset]
      offset &+= byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return offset &- 1 }
    }
    return nil
  }

  private static func continuesNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
