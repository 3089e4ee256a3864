extension SoundFileWriter {
  /// Begins the exported file `name` in `folder`.
  ///
  /// Equal arguments and samples give equal bytes, whenever and as often as they are written.
  ///
  /// - Parameters:
  ///   - rate: one of `format.rates`, in Hz.
  ///   - frames: how many will be written; it decides between WAV and RF64.
  ///   - stamp: the file's place in time, which `.bwf24` holds.
  ///   - markers: named places, which `.bwf24` holds.
  package convenience init(
    _ name: String, in folder: TakeFolder, as format: ExportFormat, channels: Int, rate: Int = 48_000, frames: Int64,
    tags: SoundFileTags = SoundFileTags(), stamp: BroadcastStamp? = nil, markers: [Marker] = []
  ) throws(FileProblem) {
    var shape = SoundFileShape(
      code: format.code(frames: frames, channels: channels), channels: channels, rate: rate, tags: tags,
      compression: format.compression)
    if format == .bwf24 { (shape.stamp, shape.chunks) = (stamp, markers.chunks) }
    // Of the tags, so that two streams behind one another in a file are still told apart.
    if format == .opus { shape.oggSerial = CRC32C.of(Array(tags.strings.map(\.text).joined(separator: "\n").utf8)) }
    try self.init(name, in: folder, shape: shape)
  }
}
