import Foundation
import Synchronization

/// Numbers that a checkpoint holds as their bytes, not as a list: few as one text (base64), many behind the JSON
/// (`PackedStore`).
///
/// Their byte order is this machine's. A checkpoint of another executable is not read (`RenderStamp`).
struct Packed<Number: BitwiseCopyable & Sendable>: Sendable, Codable {
  var values: [Number]

  init(_ values: [Number] = []) {
    self.values = values
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let data: Data
    if let store = decoder.userInfo[PackedStore.key] as? PackedStore,
      let place = try? container.decode(PackedStore.Place.self)
    {
      guard let found = store[place] else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "nothing is stored at \(place)")
      }
      data = found
    } else {
      data = try container.decode(Data.self)
    }
    let (count, rest) = data.count.quotientAndRemainder(dividingBy: MemoryLayout<Number>.stride)
    guard rest == 0 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(data.count) bytes are no whole number of \(Number.self)s")
    }
    values = [Number](unsafeUninitializedCapacity: count) { buffer, filled in
      _ = data.copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
      filled = count
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let data = values.withUnsafeBytes { Data($0) }
    if let store = encoder.userInfo[PackedStore.key] as? PackedStore, data.count >= PackedStore.least {
      try container.encode(store.add(data))
    } else {
      try container.encode(data)
    }
  }
}

/// The bytes of long lists of numbers, which stand behind a checkpoint's JSON. In eight hours of sixteen musicians they are
/// 40 MB, for which JSON would take seconds.
final class PackedStore: Sendable {
  /// Under which encoders and decoders have it. No text is refused as a key.
  static let key = CodingUserInfoKey(rawValue: "jamjar.packed")!
  /// Shorter lists are texts in the JSON.
  static let least = 1_024

  /// Where a list stands in the store, in bytes.
  struct Place: Codable, CustomStringConvertible {
    var offset: Int
    var count: Int
    var description: String { "\(offset) + \(count)" }
  }

  private let content: Mutex<Data>
  var bytes: Data { content.withLock { $0 } }

  init(_ bytes: Data = Data()) {
    content = Mutex(bytes)
  }

  func add(_ data: Data) -> Place {
    content.withLock { bytes in
      defer { bytes.append(data) }
      return Place(offset: bytes.count, count: data.count)
    }
  }

  /// Nil if it lies outside.
  subscript(place: Place) -> Data? {
    let bytes = bytes
    guard place.offset >= 0, place.count >= 0, place.offset <= bytes.count, place.count <= bytes.count - place.offset
    else { return nil }
    let start = bytes.startIndex + place.offset
    return bytes[start..<start + place.count]
  }
}

/// A packet's bytes, held as one text likewise.
@propertyWrapper struct PackedBytes: Sendable, Codable {
  var wrappedValue: ArraySlice<UInt8>

  init(wrappedValue: ArraySlice<UInt8>) {
    self.wrappedValue = wrappedValue
  }

  init(from decoder: any Decoder) throws {
    wrappedValue = try Packed<UInt8>(from: decoder).values[...]
  }

  func encode(to encoder: any Encoder) throws {
    try Packed(Array(wrappedValue)).encode(to: encoder)
  }
}

/// A value that no checkpoint holds, because it is nil wherever checkpoints are made.
@propertyWrapper struct Unstored<Value: Sendable>: Sendable, Codable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) {
    self.wrappedValue = wrappedValue
  }

  init(from decoder: any Decoder) throws {
    wrappedValue = nil
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(false)
  }
}
