import CZlib
import Hummingbird

/// Compression of whole files for HTTP (RFC 9110 section 8.4.1.3).
enum Gzip {
  /// 2^15 bytes of window, and the format of gzip (zlib's manual, deflateInit2).
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 9

  /// `bytes` compressed as far as possible; nil if that saves less than a tenth.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    let made = deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard made == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count)
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(clamping: input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(clamping: output.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { return nil }
    output.removeLast(min(output.count, Int(stream.avail_out)))
    return output.count < bytes.count / 10 * 9 ? output : nil
  }

  /// True if the field `Accept-Encoding` permits gzip by its name (RFC 9110 section 12.5.3).
  static func isAccepted(_ field: String?) -> Bool {
    (field ?? "").split(separator: ",").contains { part in
      let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let name = words.first, name == "gzip" || name == "x-gzip" else { return false }
      guard let weight = words.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return true }
      return (Double(weight.dropFirst(2)) ?? 0) > 0
    }
  }
}
