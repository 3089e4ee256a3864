import CZlib
import Signaling

/// DEFLATE for the messages of a link (RFC 7692 section 7.2). Each message is a stream of its own, so nothing is kept
/// between two messages.
package enum Deflate {
  /// Shortest text worth the effort, in bytes.
  static let least = 1_024

  /// Bytes of output at a time.
  private static let step = 16_384
  /// Every message ends with this block, which is left out on the wire (section 7.2.1).
  private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
  /// Base-2 logarithm of the widest window.
  private static let widest: Int32 = 15
  /// zlib's default; the encoder needs 256 KiB while it runs.
  private static let memoryLevel: Int32 = 8
  /// In `data_type`: the decoder is at the beginning of a block.
  private static let atBlock: Int32 = 128

  /// The message that was compressed as `bytes`; the decoder stops at `limit` bytes, however many more there would be.
  /// - Throws: `.tooLarge`, `.notDeflate`.
  package static func inflate(_ bytes: [UInt8], _ limit: Int) throws(FrameViolation) -> [UInt8] {
    var stream = z_stream()
    // A negative window stands for a stream without zlib's header.
    guard inflateInit2_(&stream, -widest, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .notDeflate
    }
    defer { inflateEnd(&stream) }
    var input = bytes
    input.append(contentsOf: tail)
    var message: [UInt8] = []
    let violation = input.withUnsafeMutableBufferPointer { input -> FrameViolation? in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      return run(&stream, into: &message, limit)
    }
    if let violation { throw violation }
    return message
  }

  private static func run(_ stream: inout z_stream, into message: inout [UInt8], _ limit: Int) -> FrameViolation? {
    var buffer = [UInt8](repeating: 0, count: step)
    while true {
      let status = buffer.withUnsafeMutableBufferPointer { output in
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(clamping: output.count)
        return CZlib.inflate(&stream, Z_SYNC_FLUSH)
      }
      let count = buffer.count &- Int(stream.avail_out)
      guard count <= limit &- message.count else { return .tooLarge(limit: limit) }
      message.append(contentsOf: buffer.prefix(count))
      let isAtBlock = stream.data_type & atBlock != 0
      switch status {
      case Z_STREAM_END where stream.avail_in == UInt32(tail.count): return nil
      // A final block in the middle; the stream goes on after it (section 7.2.3.4).
      case Z_STREAM_END where stream.avail_in > UInt32(tail.count):
        guard inflateReset(&stream) == Z_OK else { return .notDeflate }
      // All is read. The message is whole if another block could begin here.
      case Z_OK where stream.avail_in == 0 && isAtBlock: return nil
      case Z_OK where stream.avail_in > 0 || stream.avail_out == 0: continue
      default: return .notDeflate
      }
    }
  }

  /// `bytes` compressed with a window of two to the power of `windowBits`; nil if that makes them no shorter.
  package static func deflate(_ bytes: [UInt8], windowBits: Int) -> [UInt8]? {
    var stream = z_stream()
    let made = deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -Int32(clamping: windowBits), memoryLevel, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
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
        return CZlib.deflate(&stream, Z_SYNC_FLUSH)
      }
    }
    // With room left, everything was flushed.
    guard status == Z_OK, stream.avail_in == 0, stream.avail_out > 0 else { return nil }
    output.removeLast(Int(stream.avail_out))
    guard output.suffix(tail.count) == tail[...] else { return nil }
    return output.dropLast(tail.count)
  }
}
