/// A frame of Rumor, the transport of OpenTok's client wire: a binary message of its WebSocket.
///
/// Length (4 bytes, without itself), 2 reserved bytes, type, count of addresses, addresses, count of headers, headers,
/// payload. Addresses, names and values of headers have their lengths in 2 bytes before them; all numbers are big-endian.
package struct RumorFrame: Hashable, Sendable {
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case subscribe = 0
    case unsubscribe = 1
    case message = 2
    case connect = 3
    case disconnect = 4
    case ping = 7
    case pong = 8
    case status = 9
  }

  package struct Header: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  package var kind: Kind
  package var addresses: [String]
  package var headers: [Header]
  package var payload: String

  package init(_ kind: Kind, to addresses: [String] = [], _ headers: [Header] = [], payload: String = "") {
    (self.kind, self.addresses, self.headers, self.payload) = (kind, addresses, headers, payload)
  }

  /// The first value of a header.
  package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// The names of headers.
package enum RumorHeader {
  package static let transaction = "TRANSACTION-ID"
  package static let status = "STATUS"
  package static let from = "X-TB-FROM-ADDRESS"
  package static let token = "X-TB-TOKEN-AUTH"
  package static let uniqueID = "uniqueId"
  package static let contentType = "Content-Type"
}

/// Why bytes are no frame of Rumor.
package enum RumorFault: Error, Hashable, Sendable {
  /// A length of the frame, an address or a header leads beyond the bytes, or the frame's length is not theirs.
  case length
  case unknownKind(UInt8)
  case tooMany
  /// A text that is not UTF-8.
  case notText

  /// A sentence for the close frame.
  package var sentence: String {
    switch self {
    case .length: "a length in the Rumor frame does not fit its bytes"
    case .unknownKind(let kind): "there is no Rumor frame of type \(kind)"
    case .tooMany: "a Rumor frame has at most \(RumorFrame.mostParts) addresses and as many headers"
    case .notText: "an address, a header or the payload of a Rumor frame is not UTF-8"
    }
  }
}

// MARK: Bytes

extension RumorFrame {
  /// Most addresses, and most headers, of a frame that is read; clients send one and four.
  static let mostParts = 16

  package init(_ bytes: [UInt8]) throws(RumorFault) {
    var reader = ByteReader(bytes)
    guard let length = reader.u32(), UInt64(length) == UInt64(reader.remaining), reader.u16() != nil else {
      throw .length
    }
    guard let number = reader.u8() else { throw .length }
    guard let kind = Kind(rawValue: number) else { throw .unknownKind(number) }
    guard let addressCount = reader.u8() else { throw .length }
    guard addressCount <= RumorFrame.mostParts else { throw .tooMany }
    var addresses: [String] = []
    for _ in 0..<addressCount { addresses.append(try RumorFrame.text(&reader)) }
    guard let headerCount = reader.u8() else { throw .length }
    guard headerCount <= RumorFrame.mostParts else { throw .tooMany }
    var headers: [Header] = []
    for _ in 0..<headerCount {
      let name = try RumorFrame.text(&reader)
      headers.append(Header(name, try RumorFrame.text(&reader)))
    }
    guard let payload = String(validating: reader.rest(), as: UTF8.self) else { throw .notText }
    self.init(kind, to: addresses, headers, payload: payload)
  }

  private static func text(_ reader: inout ByteReader) throws(RumorFault) -> String {
    guard let count = reader.u16(), let bytes = reader.take(count) else { throw .length }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return text
  }

  /// The frame as bytes. Of more than 255 addresses or headers the rest is left out.
  package var bytes: [UInt8] {
    var body: [UInt8] = [0, 0, kind.rawValue]
    let addresses = addresses.prefix(Int(UInt8.max))
    body.append(UInt8(clamping: addresses.count))
    for address in addresses { body.append(text16: address) }
    let headers = headers.prefix(Int(UInt8.max))
    body.append(UInt8(clamping: headers.count))
    for header in headers {
      body.append(text16: header.name)
      body.append(text16: header.value)
    }
    body.append(contentsOf: payload.utf8)
    var bytes: [UInt8] = []
    bytes.append(UInt32(clamping: body.count), octets: 4)
    return bytes + body
  }
}

// MARK: Text

/// The same as a JSON text, `{"type":2,"to":[…],"headers":{…},"data":"…"}`: conversations consist of texts, and
/// `RumorFraming` turns these into bytes.
extension RumorFrame {
  package var text: String {
    let headers = JSONObject(headers.map { ($0.name, JSONValue.string($0.value)) })
    let object: JSONValue = [
      "type": .integer(Int64(kind.rawValue)), "to": .array(addresses.map(JSONValue.string)),
      "headers": .object(headers), "data": .string(payload),
    ]
    return object.text
  }

  /// Nil for a text that is no frame.
  package init?(text: String, limits: JSONLimits) {
    guard let object = (try? JSONValue(parsing: text, limits: limits))?.object,
      let number = object["type"]?.integer, let raw = UInt8(exactly: number), let kind = Kind(rawValue: raw),
      let addresses = object["to"]?.array?.map(\.string), let headers = object["headers"]?.object?.members,
      let payload = object["data"]?.string
    else { return nil }
    self.init(
      kind, to: addresses.compactMap { $0 },
      headers.compactMap { member in
        member.value.string.map { Header(member.name, $0) }
      }, payload: payload)
  }
}

/// Frames of Rumor, in binary messages (docs/opentok-client.md).
package struct RumorFraming: LinkFraming {
  package init() {}

  package func frame(of message: String) -> LinkFrame {
    // What the machine writes has no limit here: the mailbox bounds it.
    guard let frame = RumorFrame(text: message, limits: .received) else { return .text(message) }
    return .bytes(frame.bytes)
  }

  package func messages(in text: String, limits: JSONLimits) throws(FramingFault) -> [String] {
    throw FramingFault(code: 1003, "messages here are binary frames of Rumor")
  }

  package func message(in bytes: [UInt8]) throws(FramingFault) -> String? {
    do throws(RumorFault) {
      return try RumorFrame(bytes).text
    } catch {
      throw FramingFault(error.sentence)
    }
  }
}
