/// The requests of a native link, by their names on the wire.
package enum NativeMethod: String, Hashable, Sendable, CaseIterable {
  case join, snapshot, publish, subscribe, answer, candidate, restart, close, leave
  case redirect, takeStart, takeStop, takeSplit, cue, message, stats, ping
  case objectUse, objectChange, objectRelease
}
