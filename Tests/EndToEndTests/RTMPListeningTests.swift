import Glibc
import Signaling
import TestSupport
import Testing

extension Machine {
  /// Players of RTMP. A mix leaves its beat where packets come late, so nothing else may want the processor.
  @Suite struct RTMPListeningTests {
    @Test func aPlayerHearsTheMusicianAndTheMix() async throws {
      let port = try Service.freePort()
      let service = try await Service(["--rtmp-port", "\(port)"])
      do {
        let address = "rtmp://127.0.0.1:\(port)/studio"
        let encoder = try ChildProcess.tone(to: "\(address)/guitar")
        try await eventually("the musician plays") {
          try await service.get("/v1/rooms").object?["items"]?.array?.first?.object?["members"]?.array?.first?
            .object?["publishing"] == true
        }
        let players = try ["guitar", "mix"].map { name in
          let file = service.path("\(name).wav")
          let words = [
            "-hide_banner", "-loglevel", "error", "-analyzeduration", "1M", "-i", "\(address)/\(name)", "-t", "2", file,
          ]
          return (name, file, try ChildProcess("ffmpeg", words))
        }
        for (name, file, player) in players {
          #expect(await player.exitStatus() == 0)
          let heard = try WaveFile.read(file)
          // Where packets come late, the mix plays slower before it runs dry.
          let tolerance = name == "mix" ? 7 : 0
          let tenths = heard.energies(of: 700, within: tolerance).map { $0.own / $0.whole }
          #expect(heard.share(of: 700, within: tolerance) > 0.9, "\(name), by tenths of a second: \(tenths)")
          // Not even for the moment in which it comes in.
          let (first, rest) = (heard.left.prefix(heard.rate / 5), heard.left.dropFirst(heard.rate))
          let peaks = [first, rest].map { $0.reduce(0) { max($0, abs($1)) } }
          #expect(peaks[0] < 1.2 * peaks[1], "\(name) begins louder than it goes on")
        }
        await encoder.terminate()
      } catch {
        await service.close()
        throw error
      }
      await service.close()
    }
  }
}
