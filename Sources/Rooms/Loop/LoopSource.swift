import Machines

/// Something that a media loop serves: descriptors that become readable, and one deadline.
///
/// Sources are not Sendable: they are made, called and removed on their loop's thread only.
package protocol LoopSource: AnyObject {
  /// `descriptor` has something to read.
  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime)
  /// The deadline given to `MediaLoop.wake(_:by:)` has come.
  func deadlineReached(at now: MonotonicTime)
}
