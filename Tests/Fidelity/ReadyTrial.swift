import Glibc
import Machines
import Music
import Recording
import TestSupport

/// From the end of a take to finished files: three tracks of real Opus in real files, followed while they grew.
struct ReadyTrial {
  let minutes: Double
  let runs: Int
  let folder: String

  /// The disk gets so long to write back what an hour of real time would have given it: seconds.
  private static let rest: UInt32 = 5

  func run() throws {
    let music = try (1...3).map { try LoopedMusic(seed: UInt64($0)) }
    var ready = Distribution()
    var cpu = Distribution()
    var rendering = Distribution()
    for run in 0..<runs {
      let (time, used, perPacket) = try record(music, run: run)
      ready.add(time * 1_000)
      cpu.add(used * 1_000)
      rendering.add(perPacket)
      var figure = Figure("readyRun")
      figure.add("stopToReadyMs", time * 1_000)
      figure.add("cpuMs", used * 1_000)
      figure.tell()
    }
    var figure = Figure("ready")
    figure.add("minutes", minutes)
    figure.add("runs", runs)
    figure.add("stopToReadyMsP50", ready.quantile(0.5))
    figure.add("stopToReadyMsP95", ready.quantile(0.95))
    figure.add("stopToReadyMsMax", ready.highest)
    figure.add("cpuMsP50", cpu.quantile(0.5))
    figure.add("renderMicrosecondsPerPacket", rendering.quantile(0.5))
    figure.tell()
  }

  /// Records one take; returns wall and CPU seconds from its end to the manifest, and microseconds of CPU per packet
  /// until then.
  private func record(_ music: [LoopedMusic], run: Int) throws -> (ready: Double, cpu: Double, perPacket: Double) {
    try ScratchTake.with(folder) { folder, take, zero in
      let journal = try JournalFile(creatingIn: folder)
      var writer = JournalWriter(header: JournalHeader(take: take.take, zero: zero, software: "jamjar fidelity"))
      for (index, track) in take.tracks.enumerated() {
        writer.append(.trackOpened(track: index + 1, track, at: zero + .milliseconds(1)))
      }
      let renderer = try TakeRenderer(folder: folder, take: take.take)
      let seconds = Int(minutes * 60)
      var used = 0.0
      for second in 0..<seconds {
        // The service looks at the journal once a second; at worst the take ends just before it would again.
        let watch = Stopwatch(.thread)
        try renderer.follow()
        used += watch.elapsed
        var frames = music.enumerated().flatMap { $1.second(second, track: $0 + 1, zero: zero) }
        frames.sort { $0.time < $1.time }
        for frame in frames { writer.append(frame) }
        try journal.append(writer.take())
        if second % 10 == 0 { try journal.sync() }
      }
      sleep(ReadyTrial.rest)
      writer.append(.end(at: zero + .seconds(Int64(seconds)), .stopped))
      try journal.append(writer.take())
      try journal.sync()
      let (wall, thread) = (Stopwatch(.wall), Stopwatch(.thread))
      let result = try renderer.finish()
      let (ready, cpu) = (wall.elapsed, thread.elapsed)
      guard result.take.length?.samples == Int64(seconds) * 48_000, result.tracks.allSatisfy(\.gaps.isEmpty),
        result.take.state == .ready
      else { throw FidelityProblem("the take of run \(run) is not whole: \(result.notes)") }
      return (ready, cpu, used * 1e6 / Double(seconds * 150))
    }
  }
}
