import CSndFile
import Glibc

/// The callbacks through which libsndfile reads and writes an output file.
enum SoundFileCalls {
  /// The callbacks for writing; libsndfile passes them the `SoundFileSink` given to `sf_open_virtual`.
  static var writing: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { SoundFileCalls.file($0)?.length ?? -1 },
      seek: { offset, whence, context in
        guard let file = SoundFileCalls.file(context) else { return -1 }
        switch whence {
        case SEEK_SET: file.position = offset
        case SEEK_CUR: file.position += offset
        case SEEK_END: file.position = file.length + offset
        default: return -1
        }
        return file.position
      },
      read: { bytes, count, context in
        guard let file = SoundFileCalls.file(context), let bytes, count > 0 else { return 0 }
        return sf_count_t(file.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))))
      },
      write: { bytes, count, context in
        guard let sink = SoundFileCalls.sink(context), let bytes, count > 0 else { return 0 }
        return sink.write(UnsafeRawBufferPointer(start: bytes, count: Int(count))) ? count : 0
      },
      tell: { SoundFileCalls.file($0)?.position ?? -1 })
  }

  /// libsndfile's description of its last error, for `handle` or for opening.
  static func complaint(_ handle: OpaquePointer?) -> String {
    sf_strerror(handle).map { String(cString: $0) } ?? "the sound file library gave no reason"
  }

  private static func sink(_ context: UnsafeMutableRawPointer?) -> SoundFileSink? {
    context.map { Unmanaged<SoundFileSink>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func file(_ context: UnsafeMutableRawPointer?) -> OutputFile? { sink(context)?.file }
}

/// The destination of libsndfile's bytes: an output file; Ogg streams get our serial number.
final class SoundFileSink {
  let file: OutputFile
  private var pages: OggPages?

  init(_ file: OutputFile, oggSerial: UInt32?) {
    self.file = file
    pages = oggSerial.map(OggPages.init(serial:))
  }

  /// False after a problem, which is in `file`.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let whole = pages?.take(bytes) else { return file.write(bytes) }
    return whole.isEmpty || whole.withUnsafeBytes { file.write($0) }
  }

  /// Writes buffered bytes.
  func flush() {
    guard let rest = pages?.rest(), !rest.isEmpty else { return }
    _ = rest.withUnsafeBytes { file.write($0) }
  }
}
