import Foundation
import Music
import Testing

@testable import Recording

/// Our mix against the sum of what an exported project says: files, places and gains are read out of the project.
struct ProjectNullTests {
  /// In dBFS; what is promised is -90, and what is to be expected is two roundings to 24 bits: -138.
  private static let bound = -130.0

  private static let settings = MixSettings(
    channels: [
      1: .init(gain: -6.5, offset: 480), 2: .init(gain: 3, pan: -0.4), 3: .init(gain: 1.25, pan: 0.7, offset: -250),
    ], gain: -2)

  private struct Clip {
    var samples: [Float]
    var channels: Int
    var position, skip, length: Int
    var volume, pan: Double
  }

  private func sum(_ clips: [Clip], master: Double) -> [Double] {
    let frames = clips.map { $0.position + $0.length }.max() ?? 0
    var sum = [Double](repeating: 0, count: frames * 2)
    // Through pointers: unoptimized, indices of arrays cost most of the test's time.
    sum.withUnsafeMutableBufferPointer { sum in
      for clip in clips {
        let pan = Pan(clip.pan)
        let (left, right) = (clip.volume * Double(pan.left) * master, clip.volume * Double(pan.right) * master)
        clip.samples.withUnsafeBufferPointer { samples in
          var (from, to) = (clip.skip * clip.channels, clip.position * 2)
          for _ in 0..<clip.length {
            sum[to] += Double(samples[from]) * left
            sum[to + 1] += Double(samples[from + clip.channels - 1]) * right
            from += clip.channels
            to += 2
          }
        }
      }
    }
    return sum
  }

  /// Highest difference in dBFS.
  private func difference(_ mix: [Float], _ sum: [Double]) -> Double {
    guard mix.count == sum.count else { return .infinity }
    var highest = 0.0
    for (mix, sum) in zip(mix, sum) { highest = max(highest, abs(Double(mix) - sum)) }
    return 20 * log10(highest)
  }

  private func mix(_ take: ProjectRehearsal, _ settings: MixSettings) throws -> [Float] {
    let down = MixDown(of: take.folder, manifest: take.manifest)
    _ = try down.write("sum.wav", in: take.folder, settings: settings, format: .wav24)
    let mix = try ProjectRehearsal.samples("sum.wav", in: take.folder)
    // Loud enough to tell something, quiet enough that no limiter acted.
    let peak = mix.map(abs).max() ?? 0
    #expect(peak > 0.05 && peak < 0.5)
    return mix
  }

  @Test(arguments: [nil, SamplePosition(10_000)..<SamplePosition(70_000)])
  func theMixIsTheSumOfAReaperProject(range: Range<SamplePosition>?) throws {
    let take = try ProjectRehearsal()
    var settings = Self.settings
    settings.range = range
    let result = try take.export.writeFolder("out", in: take.target, .reaper, settings: settings)
    let project: OutsideReader.Block = try OutsideReader.python(
      OutsideReader.reaper, take.path("out/\(try #require(result.main))"))
    let clips = try project.blocks("TRACK").map { track in
      let item = try #require(track.blocks("ITEM").first)
      let file = try #require(item.blocks("SOURCE").first?.words("FILE").first)
      let reader = try SoundFileReader(file, in: try take.exported("out"))
      return Clip(
        samples: try reader.read(frames: Int(reader.frameCount)), channels: reader.channels,
        position: frames(item.number("POSITION")), skip: frames(item.number("SOFFS")),
        length: frames(item.number("LENGTH")), volume: try #require(track.number("VOLPAN")),
        pan: try #require(track.number("VOLPAN", 1)))
    }
    let sum = sum(clips, master: try #require(project.number("MASTER_VOLUME")))
    let found = difference(try mix(take, settings), sum)
    #expect(found < Self.bound, "\(found) dBFS")
  }

  @Test func theMixIsTheSumOfAnExchangeFile() throws {
    let take = try ProjectRehearsal()
    _ = try take.export.writeArchive("a.dawproject", in: take.target, .dawproject, settings: Self.settings)
    let exchange: OutsideReader.Exchange = try OutsideReader.python(
      OutsideReader.dawproject, take.path("a.dawproject"))
    _ = try OutsideReader.run("python3", ["-m", "zipfile", "-e", take.path("a.dawproject"), take.path("unpacked")])
    let audio = try take.exported("unpacked/audio")
    let clips = try exchange.tracks.filter { $0.role == "regular" }.map { track in
      let clip = try #require(track.clips.first)
      return Clip(
        samples: try ProjectRehearsal.samples(String(clip.path.dropFirst("audio/".count)), in: audio),
        channels: clip.channels, position: frames(clip.time), skip: frames(clip.playStart),
        length: frames(clip.duration), volume: track.volume, pan: track.pan * 2 - 1)
    }
    let sum = sum(clips, master: try #require(exchange.tracks.last).volume)
    let found = difference(try mix(take, Self.settings), sum)
    #expect(found < Self.bound, "\(found) dBFS")
  }

  @Test func theMixIsTheSumOfStemsWithItsGains() throws {
    let take = try ProjectRehearsal()
    let result = try take.export.writeFolder("out", in: take.target, .stems, settings: Self.settings)
    let folder = try take.exported("out")
    let clips = try zip(result.files, 1...3).map { file, number in
      let reader = try SoundFileReader(file.name, in: folder)
      let channel = Self.settings.channel(number)
      return Clip(
        samples: try reader.read(frames: Int(reader.frameCount)), channels: reader.channels, position: 0, skip: 0,
        length: Int(reader.frameCount), volume: pow(10, (channel.gain - 3) / 20), pan: channel.pan)
    }
    let mix = try mix(take, Self.settings)
    let found = difference(mix, sum(clips, master: pow(10, -2 / 20)))
    #expect(found < Self.bound, "\(found) dBFS")
    // A thousandth of a dB, and one sample, are found out.
    #expect(difference(mix, sum(clips, master: pow(10, -2.001 / 20))) > Self.bound)
    var late = clips
    late[1].position += 1
    late[1].length -= 1
    #expect(difference(mix, sum(late, master: pow(10, -2 / 20))) > Self.bound)
  }

  private func frames(_ seconds: Double?) -> Int { Int(((seconds ?? .infinity) * 48_000).rounded()) }
}
