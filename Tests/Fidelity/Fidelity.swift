import Glibc
import TestSupport

/// Measures what the recorder keeps: `jamjar-fidelity [parts …] [--minutes n] [--runs n] [--folder path]`, or plays to
/// the real service: `jamjar-fidelity laboratory --service path [--scenarios n] [--kind name] [--seed n] [--parallel n]`
/// or `[--named]`, with `[--standstills]`. `jamjar-fidelity watch WORK --amount n --folder path` is for
/// `script/bench watch`, which counts instructions; `--prepare seconds` makes the take that it reads.
///
/// Parts: alignment, check, loss, copies, ready, cost, resampler, mix, journal, srtp; without any, all of them. Each prints lines of
/// JSON. Everything is seeded: another run gives the same figures, except for times. The laboratory is in real time, so
/// only what is played is the same. It ends with 1 where a promise was broken.
@main struct Fidelity {
  /// Length of takes, in minutes.
  var minutes = 60.0
  /// Runs of each trial, nil for as many as the trial itself deems enough.
  var runs: Int?
  /// Where takes are written.
  var folder = "/tmp"
  private var parts: [String] = []
  /// Scenarios of the laboratory, the seed of the first, and how many are played at a time.
  private var scenarios = 25
  /// Plays scenarios of this kind alone.
  private var kind: ScenarioKind?
  private var seed: UInt64 = 1
  private var parallel = 25
  /// The built `jamjar`.
  private var service: String?
  private var keepsFolder = false
  /// Plays the scenarios that have names instead of random ones.
  private var playsNamed = false
  /// Stops the service now and then.
  private var standsStill = false

  /// Work whose instructions are counted, and how much of it.
  private var work: Watch.Work?
  private var amount = 0
  /// Makes the take for such work, so many seconds long.
  private var prepared: Int?

  private static let watch = "watch"
  private static let laboratory = "laboratory"
  private static let all = [
    "alignment", "check", "loss", "copies", "ready", "cost", "resampler", "mix", "journal", "srtp",
  ]

  private init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)
    while !rest.isEmpty {
      let word = rest.removeFirst()
      if Fidelity.all.contains(word) || word == Fidelity.laboratory {
        parts.append(word)
      } else if word == Fidelity.watch, let value = rest.first.flatMap(Watch.Work.init) {
        parts.append(word)
        work = value
        rest.removeFirst()
      } else if word == "--amount", let value = rest.first.flatMap(Int.init), (1...1_000_000).contains(value) {
        amount = value
        rest.removeFirst()
      } else if word == "--prepare", let value = rest.first.flatMap(Int.init), (1...600).contains(value) {
        parts.append(word)
        prepared = value
        rest.removeFirst()
      } else if word == "--minutes", let value = rest.first.flatMap(Double.init), value > 0, value <= 600 {
        minutes = value
        rest.removeFirst()
      } else if word == "--runs", let value = rest.first.flatMap(Int.init), (1...1_000).contains(value) {
        runs = value
        rest.removeFirst()
      } else if word == "--folder", !rest.isEmpty {
        folder = rest.removeFirst()
      } else if word == "--service", !rest.isEmpty {
        service = rest.removeFirst()
      } else if word == "--kind", let value = rest.first.flatMap(ScenarioKind.init) {
        kind = value
        rest.removeFirst()
      } else if word == "--scenarios", let value = rest.first.flatMap(Int.init), (1...100_000).contains(value) {
        scenarios = value
        rest.removeFirst()
      } else if word == "--seed", let value = rest.first.flatMap(UInt64.init), value < 1 << 53 {
        seed = value
        rest.removeFirst()
      } else if word == "--parallel", let value = rest.first.flatMap(Int.init), (1...500).contains(value) {
        parallel = value
        rest.removeFirst()
      } else if word == "--keep" {
        keepsFolder = true
      } else if word == "--named" {
        playsNamed = true
      } else if word == "--standstills" {
        standsStill = true
      } else {
        throw FidelityProblem("unknown or incomplete: \(word); parts are \(Fidelity.all.joined(separator: ", "))")
      }
    }
    if parts.isEmpty { parts = Fidelity.all }
  }

  static func main() {
    do {
      let fidelity = try Fidelity(CommandLine.arguments.dropFirst())
      for part in fidelity.parts { try fidelity.run(part) }
    } catch {
      let message = Array("jamjar-fidelity: \(error)\n".utf8)
      _ = write(STDERR_FILENO, message, message.count)
      exit(1)
    }
  }

  private func run(_ part: String) throws {
    if let prepared { return try WatchedTake.prepare(seconds: prepared, in: folder) }
    if let work { return try Watch(work: work, amount: amount, folder: folder).run() }
    switch part {
    case "alignment": AlignmentTrial(minutes: minutes, seeds: runs ?? 20).run()
    case "check": try AlignmentCheck().run()
    case "loss": LossTrial(minutes: minutes, runs: runs ?? 100).run()
    case "copies": guard try CopyTrial(copies: runs ?? 40, seed: seed).run() else { exit(1) }
    case "ready": try ReadyTrial(minutes: minutes, runs: runs ?? 5, folder: folder).run()
    case "cost": try CostTrial(folder: folder).run()
    case "resampler": ResamplerTrial().run()
    case "mix": LoudMixTrial().run()
    case "srtp": try PacketTrial().run()
    case Fidelity.laboratory: try play()
    default: try JournalTrial(folder: folder).run()
    }
  }

  private func play() throws {
    guard let service else { throw FidelityProblem("the laboratory wants --service, the path of a built jamjar") }
    let trial = LaboratoryTrial(
      scenarios: playsNamed
        ? Scenario.promised
        : (0..<UInt64(scenarios)).map { number in
          kind.map { Scenario($0, seed: seed + number) } ?? Scenario(seed: seed + number)
        },
      parallel: parallel, program: service, folder: folder,
      keepsFolder: keepsFolder, standsStill: standsStill)
    guard try trial.run() else { exit(1) }
  }
}
