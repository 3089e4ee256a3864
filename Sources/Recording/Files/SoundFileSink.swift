/// Where libsndfile's bytes go: into an output file, an Ogg stream with a serial number of ours.
final class SoundFileSink {
  let file: OutputFile
  private var pages: OggPages?

  init(_ file: OutputFile, oggSerial: UInt32?) {
    self.file = file
    pages = oggSerial.map(OggPages.init(serial:))
  }

  /// False after a problem, which `file` tells.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let whole = pages?.take(bytes) else { return file.write(bytes) }
    return whole.isEmpty || whole.withUnsafeBytes { file.write($0) }
  }

  /// Writes what was held back.
  func flush() {
    guard let rest = pages?.rest(), !rest.isEmpty else { return }
    _ = rest.withUnsafeBytes { file.write($0) }
  }
}
