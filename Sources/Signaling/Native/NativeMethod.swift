/// What a client can ask on a native link; the names on the wire.
package enum NativeMethod: String, Hashable, Sendable, CaseIterable {
  case join, snapshot, publish, subscribe, answer, candidate, restart, close, leave
  case redirect, takeStart, takeStop, takeSplit, cue, message, stats, ping
  case objectUse, objectChange, objectRelease
}
