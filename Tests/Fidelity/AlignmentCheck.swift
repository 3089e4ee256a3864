import Machines
import Music
import Realtime
import Recording
import TestSupport

/// Three minutes of real Opus through the same network, rendered whole: where the sound lies against what was played.
struct AlignmentCheck {
  private static let length = 180.0

  func run() throws {
    let players = [100.0, 0, -100].enumerated().map { index, drift in
      var player = VirtualPlayer("p\(index)")
      player.drift = drift
      player.end = AlignmentCheck.length
      player.start = 0.1 + 0.007 * Double(index)
      player.signal = VirtualSignal(tempo: 8, seed: UInt64(index) + 1, isStereo: false)
      player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
      player.sendsCaptureTime = true
      player.answersWithReports = true
      player.network = VirtualNetwork(
        there: VirtualPath(delay: 0.03, jitter: .uniform(0.01), loss: 0.2), seed: UInt64(index) + 1)
      return player
    }
    let take = try VirtualTake(players, length: AlignmentCheck.length - 2, patience: 2)
    let sound = RenderedSound()
    let render = RollingRender(header: take.header, options: RenderOptions(makesMix: false), sink: sound)
    for frame in take.frames { try render.handle(frame) }
    _ = try render.finish()
    let replays = replay(take, players)
    var heard = Distribution()
    var apart = Distribution()
    var alike = 1.0
    for second in stride(from: 6, to: Int(AlignmentCheck.length) - 6, by: 1) {
      var lags: [Double] = []
      for (index, player) in players.enumerated() {
        let (start, count) = (second * 48_000, 24_000)
        let plane = sound.plane(index + 1)
        guard start + count <= plane.count else { continue }
        let played = player.played(from: start, count: count)
        guard
          let match = CrossCorrelation.align(Array(plane[start..<(start + count)]), to: played, maximumLag: 2_400)
        else { continue }
        lags.append(match.lag / 48)
        alike = min(alike, match.coefficient)
        let readings = replays[index].readings
        // The correlation is that of half a second; the reading nearest to its middle.
        let middle = Double(second) + 0.25
        guard let near = readings.min(by: { abs($0.time - middle) < abs($1.time - middle) }) else { continue }
        heard.add(abs(near.error - match.lag / 48))
      }
      if lags.count == 3, second >= 30 { apart.add((lags.max() ?? 0) - (lags.min() ?? 0)) }
    }
    var figure = Figure("check")
    figure.add("minutes", AlignmentCheck.length / 60)
    figure.add("replayAgainstSoundMs", heard)
    figure.add("heardSpreadMs", apart)
    figure.add("lowestCoefficient", alike)
    figure.tell()
  }

  private static func seconds(_ time: NTPTime) -> Double { Double(time.bits) / 4_294_967_296 }

  /// The same arrivals through the shortcut that the hour is measured with.
  private func replay(_ take: VirtualTake, _ players: [VirtualPlayer]) -> [PlacementReplay] {
    var replays = players.map {
      PlacementReplay(card: VirtualSoundCard(start: $0.start, drift: $0.drift), packet: 0.02)
    }
    for frame in take.frames {
      let time = (frame.time - take.header.zero).seconds
      for index in replays.indices { replays[index].advance(to: time) }
      switch frame {
      case .rtp(let track, _, let bytes):
        guard let packet = try? RTPPacket(parsing: bytes) else { continue }
        let player = players[track - 1]
        let index = Int(packet.header.sequenceNumber &- player.firstSequence)
        replays[track - 1].receive(index, at: time)
        if let captured = packet.absoluteCaptureTime(VirtualPlayer.captureTimeExtension) {
          replays[track - 1].receive(captureTime: AlignmentCheck.seconds(captured.captured), of: index, at: time)
        }
      case .roundTrip(let track, _, let span): replays[track - 1].receive(roundTrip: span.seconds, at: time)
      case .rtcp(let track, let arrival, let bytes):
        guard let packets = try? RTCPCompound.parse(bytes) else { continue }
        var senderTime: Double?
        for packet in packets {
          switch packet {
          case .senderReport(let report):
            let media = Int(report.timestamp &- players[track - 1].firstTimestamp)
            senderTime = AlignmentCheck.seconds(report.time)
            replays[track - 1].receive(
              report: AlignmentCheck.seconds(report.time), media: Double(media) / 48_000, at: time)
          case .extendedReport(let report):
            for case .delaySinceLastReceiverReport(let delays) in report.blocks {
              for delay in delays {
                let ticks = NTPClock().time(at: arrival).middle &- delay.lastReceiverReport
                replays[track - 1].receive(
                  answerTo: time - Double(ticks) / 65_536, senderTime: senderTime, at: time)
              }
            }
          default: break
          }
        }
      default: break
      }
    }
    return replays
  }
}
