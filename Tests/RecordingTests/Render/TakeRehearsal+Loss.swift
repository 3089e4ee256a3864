import Music
import TestSupport

@testable import Recording

extension TakeRehearsal {
  /// The same take without the packets of `range` of player 1, counted from the first.
  init(losing range: Range<Int>, of whole: TakeRehearsal) throws {
    take = whole.take
    players = whole.players
    render = RollingRender(header: take.header, options: RenderOptions(makesMix: false), sink: sound)
    let first = players[0].firstSequence
    for frame in take.frames {
      if case .rtp(1, _, let packet) = frame {
        let number = UInt16(packet[2]) << 8 | UInt16(packet[3])
        if range.contains(Int(number &- first)) { continue }
      }
      try render.handle(frame)
    }
    length = Int(try render.finish().samples)
  }
}
