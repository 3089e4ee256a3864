/// The destination of a render's samples: files, or memory in tests.
package protocol RenderSink: AnyObject {
  /// Opens a track at its first audio, with `channels` channels and `silence` samples of leading silence.
  func open(track: Int, channels: Int, silence: Int64) throws
  /// Writes the next interleaved samples of a track; all open tracks get equally many.
  func write(track: Int, _ samples: UnsafeBufferPointer<Float>) throws
  /// Writes the next interleaved stereo samples of the mix.
  func writeMix(_ samples: UnsafeBufferPointer<Float>) throws
}

/// A sink that discards its samples, for renders of which only the places count.
final class DiscardingSink: RenderSink {
  func open(track: Int, channels: Int, silence: Int64) {}
  func write(track: Int, _ samples: UnsafeBufferPointer<Float>) {}
  func writeMix(_ samples: UnsafeBufferPointer<Float>) {}
}
