/// The kind byte of a frame; a number that was once given is never given again.
enum JournalKind: UInt8, CaseIterable {
  case trackOpened = 1
  case streamChanged = 2
  case rtp = 3
  case rtcp = 4
  case clockSample = 5
  case roundTrip = 6
  case playoutDelay = 7
  case path = 8
  case wallClock = 9
  case cue = 10
  case song = 11
  case renamed = 12
  case degraded = 13
  case trackClosed = 14
  case end = 15
  case standstill = 20
  case headerRepeated = 32
  case trackRepeated = 33
}
