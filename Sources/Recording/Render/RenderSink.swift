/// Where a render's samples go: files, or memory in tests.
package protocol RenderSink: AnyObject {
  /// A track has its first audio: it has `channels` channels and begins with `silence` samples of silence.
  func open(track: Int, channels: Int, silence: Int64) throws
  /// The next interleaved samples of a track; all tracks that are open get equally many.
  func write(track: Int, _ samples: UnsafeBufferPointer<Float>) throws
  /// The next interleaved stereo samples of the mix.
  func writeMix(_ samples: UnsafeBufferPointer<Float>) throws
}
