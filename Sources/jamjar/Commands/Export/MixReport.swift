import Machines
import Music
import Recording
import Signaling

/// The report on an exported file.
struct MixReport {
  let job: MixJob
  let mix: ExportedMix

  /// Text for users.
  var text: String {
    let take = job.source.take
    var facts = "  \(Reading.length(mix.length)), \(Reading.fixed(mix.loudness, 1)) LUFS, "
    facts += "peak \(Reading.fixed(mix.peak, 1)) dBFS, \(mix.format.rawValue) at \(mix.rate) Hz, "
    facts += Reading.bytes(mix.file.size)
    var lines = [
      "Take \(take.number) in room \"\(take.room)\", \(job.wish.title): \(job.target.path)", facts,
    ]
    if let gain = mix.normalizationGain {
      let target = job.wish.settings.normalization?.loudness
      lines.append(
        "  Loudness changed by \(Reading.fixed(gain, 1)) dB towards \(Reading.fixed(target, 1)) LUFS, true peak "
          + "\(Reading.fixed(mix.truePeak, 1)) dBTP.")
      if let shortfall, let ceiling = job.wish.settings.normalization?.truePeak {
        lines.append(
          "  That is \(Reading.fixed(shortfall, 1)) LU below the target: the true peak may not exceed "
            + "\(Reading.fixed(ceiling, 1)) dBTP (--true-peak), and no more than "
            + "\(Reading.fixed(MixSettings.Normalization.mostLimiting, 0)) dB of peaks are limited for a target.")
      }
    }
    if mix.start < .zero {
      lines.append("  The take's zero lies at \(Reading.fixed(-mix.start.seconds * 1_000, 3)) ms of the file.")
    } else if mix.start > .zero {
      lines.append("  It begins at \(Reading.position(mix.start)) of the take.")
    }
    guard job.wish.perspective != .asPlayed else { return lines.joined(separator: "\n") }
    return lines.joined(separator: "\n") + "\n\n" + shifts
  }

  /// JSON for programs: positions in seconds, null for unknown values.
  var json: JSONValue {
    let take = job.source.take
    return .object([
      "take": .string(take.id.description), "path": .string(job.target.path),
      "format": .string(mix.format.rawValue), "sampleRate": .integer(Int64(mix.rate)),
      "size": .integer(mix.file.size), "digest": .string(mix.file.digest.value),
      "perspective": .string(job.wish.title), "start": .number(mix.start.seconds),
      "duration": .number(mix.length.seconds), "loudness": measure(mix.loudness), "peak": measure(mix.peak),
      "truePeak": measure(mix.truePeak), "normalizationGain": measure(mix.normalizationGain),
      "loudnessTarget": measure(job.wish.settings.normalization?.loudness), "loudnessShortfall": measure(shortfall),
      "tracks": .array(job.source.manifest.audibleTracks.map(track)),
    ])
  }

  /// By how many LU the loudness stays below its target; nil if it does not, or there is none.
  private var shortfall: Double? {
    guard let target = job.wish.settings.normalization, let loudness = mix.loudness else { return nil }
    let missing = target.loudness - loudness
    return missing > MixSettings.Normalization.tolerance ? missing : nil
  }

  private func track(_ track: Track) -> JSONValue {
    let shift = mix.shifts.first { $0.track == track.number }?.samples ?? 0
    let channel = job.wish.settings.channel(track.number)
    return .object([
      "number": .integer(Int64(track.number)), "participant": .string(track.participant.name.description),
      "heard": .bool(job.wish.settings.isHeard(track.number)), "gain": .number(channel.gain),
      "pan": .number(channel.pan),
      "shift": .number(SamplePosition(shift + channel.offset).seconds),
    ])
  }

  private func measure(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    return .number((value * 100).rounded() / 100)
  }

  private var shifts: String {
    var table = TextTable([
      .number("track"), .text("musician"), .number("moved by ms"), .number("samples"), .number("usual range ms"),
      .number("network ms"), .number("playout ms"), .number("reports"),
    ])
    for shift in mix.shifts {
      let name = job.source.manifest.tracks.first { $0.number == shift.track }?.participant.name.description ?? "-"
      let moved = Double(shift.samples) * 1_000 / Double(SamplePosition.rate)
      guard let delay = shift.delay else {
        table.add(["\(shift.track)", name, "0", "0", "-", "-", "-", "-"])
        continue
      }
      table.add([
        "\(shift.track)", name, (moved > 0 ? "+" : "") + Reading.fixed(moved, 2), "\(shift.samples)",
        "\(Reading.fixed(delay.low.milliseconds, 1))..\(Reading.fixed(delay.high.milliseconds, 1))",
        Reading.fixed((delay.median - delay.playout.median).milliseconds, 1),
        Reading.fixed(delay.playout.median.milliseconds, 1), "\(delay.playout.count)",
      ])
    }
    return table.text
  }
}
