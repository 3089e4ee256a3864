import CSndFile
import Glibc

/// The callbacks through which libsndfile reads and writes an output file.
enum SoundFileCalls {
  /// The callbacks for writing; libsndfile passes them the `SoundFileSink` given to `sf_open_virtual`.
  static var writing: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { SoundFileCalls.sink($0)?.length ?? -1 },
      seek: { offset, whence, context in
        guard let sink = SoundFileCalls.sink(context) else { return -1 }
        switch whence {
        case SEEK_SET: sink.position = offset
        case SEEK_CUR: sink.position += offset
        case SEEK_END: sink.position = sink.length + offset
        default: return -1
        }
        return sink.position
      },
      read: { bytes, count, context in
        guard let sink = SoundFileCalls.sink(context), let bytes, count > 0 else { return 0 }
        return sf_count_t(sink.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))))
      },
      write: { bytes, count, context in
        guard let sink = SoundFileCalls.sink(context), let bytes, count > 0 else { return 0 }
        return sink.write(UnsafeRawBufferPointer(start: bytes, count: Int(count))) ? count : 0
      },
      tell: { SoundFileCalls.sink($0)?.position ?? -1 })
  }

  /// Opens a descriptor as a sound file; nil if libsndfile cannot.
  ///
  /// libsndfile gets a descriptor of its own, because it closes one that it cannot open whatever `close_desc` says
  /// (seen with 1.2.0). Closed a second time, the number would be that of another file or connection.
  static func open(_ descriptor: Descriptor, mode: Int32, _ shape: inout SF_INFO) -> OpaquePointer? {
    let own = fcntl(descriptor.raw, F_DUPFD_CLOEXEC, 0)
    return own < 0 ? nil : sf_open_fd(own, mode, &shape, Int32(SF_TRUE))
  }

  /// libsndfile's description of its last error, for `handle` or for opening.
  static func complaint(_ handle: OpaquePointer?) -> String {
    sf_strerror(handle).map { String(cString: $0) } ?? "the sound file library gave no reason"
  }

  private static func sink(_ context: UnsafeMutableRawPointer?) -> SoundFileSink? {
    context.map { Unmanaged<SoundFileSink>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The destination of libsndfile's bytes: an output file. Ogg streams get our serial number; FLAC files and
/// files of plain samples can be those that an earlier process began.
final class SoundFileSink {
  let file: OutputFile
  /// Bytes of the file before those of libsndfile.
  private let start: Int64
  private var pages: OggPages?
  private var splice: FLACSplice?
  /// True until something is appended to a continued file of plain samples: the header that libsndfile writes at the
  /// beginning is there already.
  private var isResuming = false
  /// Maximum length that libsndfile is told.
  private var shown = Int64.max
  /// More than any header.
  private static let longestHeader: Int64 = 1 << 20
  /// The frames in the file, if it is FLAC.
  private(set) var progress = FLACProgress()

  /// - Parameter head: written before libsndfile's bytes.
  init(_ file: OutputFile, head: [UInt8], oggSerial: UInt32?) {
    self.file = file
    start = Int64(head.count)
    pages = oggSerial.map(OggPages.init(serial:))
    // A problem stays in `file`.
    if !head.isEmpty { _ = head.withUnsafeBytes { file.write($0) } }
  }

  /// Continues a FLAC file after the frames of `progress`.
  init(_ file: OutputFile, after progress: FLACProgress) {
    self.file = file
    start = 0
    self.progress = progress
    splice = FLACSplice(after: progress.frames)
  }

  /// Continues a file of plain samples at its end.
  init(continuing file: OutputFile) {
    self.file = file
    start = 0
    isResuming = true
    shown = SoundFileSink.longestHeader
    file.position = 0
  }

  /// Shows libsndfile all of a continued file. Before it has found out its header's length, it must not know of more
  /// than 4 GiB: the header of RF64 is shorter than that with which such a file begins, and would not be filled up.
  func showAll() { shown = .max }

  /// Length of the file that libsndfile believes to write.
  var length: Int64 { splice?.length ?? min(file.length - start, shown) }
  /// Its position in that file.
  var position: Int64 {
    get { splice?.position ?? file.position - start }
    set { if splice == nil { file.position = start + newValue } else { splice?.position = newValue } }
  }

  /// Reads back what libsndfile wrote; a spliced file has nothing of it.
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int { splice == nil ? file.read(into: bytes) : 0 }

  /// False after a problem, which is in `file` unless libsndfile's bytes were damaged.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if let whole = pages?.take(bytes) { return whole.isEmpty || whole.withUnsafeBytes { file.write($0) } }
    if isResuming {
      let end = file.position + Int64(bytes.count)
      if end <= file.length {
        file.position = end
        return true
      }
      isResuming = false
    }
    guard splice != nil else { return append(bytes) }
    guard let frame = splice?.take(bytes) else { return false }
    return frame.isEmpty || frame.withUnsafeBytes(append)
  }

  private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isNew = file.position == file.length
    guard file.write(bytes) else { return false }
    if isNew { progress.note(bytes) }
    return true
  }

  /// To be called before libsndfile closes the file, and writes its lengths into the header.
  func prepareForClosing() { isResuming = false }

  /// Completes the metadata of a continued file of `samples` samples; false after a problem.
  func complete(samples: Int64) -> Bool {
    guard splice != nil else { return true }
    file.position = FLACSplice.patched.lowerBound
    var old = [UInt8](repeating: 0, count: FLACSplice.patched.count)
    let count = old.withUnsafeMutableBytes { file.read(into: $0) }
    guard count == old.count, let new = FLACSplice.patch(old, samples: samples) else { return false }
    file.position = FLACSplice.patched.lowerBound
    return new.withUnsafeBytes { file.write($0) }
  }

  /// Writes buffered bytes.
  func flush() {
    guard let rest = pages?.rest(), !rest.isEmpty else { return }
    _ = rest.withUnsafeBytes { file.write($0) }
  }
}
