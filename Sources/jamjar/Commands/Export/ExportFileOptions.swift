import ArgumentParser
import Foundation
import Recording

/// The format of the exported file.
struct ExportFileOptions: ParsableArguments {
  @Option(
    name: .long,
    help: """
      flac24, flac16, wav24, wav16, wav32f, bwf24, opus or mp3; flac, wav and bwf have 24 bits. (default: that of \
      --output, or flac24)
      """, completion: .list(ExportFormat.short + ExportFormat.allCases.map(\.rawValue)))
  var format: String?
  @Option(
    name: .long, help: "Sample rate in Hz: 48000, 44100, 88200 or 96000. (default: 48000)",
    completion: .list(ExportFormat.flac24.rates.map(String.init)))
  var rate: Int?

  func validate() throws {
    if let format, ExportFormat(named: format) == nil {
      let all = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--format is \(format); permitted: \(all), or flac, wav, bwf for 24 bits")
    }
    if let rate, !ExportFormat.flac24.rates.contains(rate) {
      let all = ExportFormat.flac24.rates.map(String.init).joined(separator: ", ")
      throw ValidationError("--rate is \(rate); permitted: \(all)")
    }
    if let rate, let format = format.flatMap(ExportFormat.init(named:)), !format.rates.contains(rate) {
      throw ValidationError("\(ExportProblem.rate(rate, format))")
    }
  }

  /// The named format, or else the one of `output`'s extension.
  ///
  /// - Parameter output: the file; if it is nil or ends in a slash, the file is named after its format.
  /// - Throws: `CommandFailure` if the extension is unknown, or belongs to another format.
  func format(for output: String?) throws(CommandFailure) -> ExportFormat {
    let named = format.flatMap(ExportFormat.init(named:))
    guard let output, !output.hasSuffix("/") else { return named ?? .flac24 }
    let ending = URL(fileURLWithPath: output).pathExtension.lowercased()
    guard let format = named ?? ExportFormat.allCases.first(where: { $0.ending == ending }) else {
      throw CommandFailure(
        ExitCodes.usage, "\(output) ends in none of .flac, .wav, .opus and .mp3; choose one of them, or say --format")
    }
    let others = ExportFormat.allCases.map(\.ending).filter { $0 != format.ending }
    guard !others.contains(ending) else {
      throw CommandFailure(
        ExitCodes.usage, "\(output) ends in .\(ending), but \(format.rawValue) files end in .\(format.ending)")
    }
    return format
  }
}

extension ExportFormat {
  /// Names that stand for 24 bits.
  static let short = ["flac", "wav", "bwf"]

  /// The format with that name; 24 bits if the name contains no number.
  init?(named name: String) {
    let name = name.lowercased()
    self.init(rawValue: ExportFormat.short.contains(name) ? name + "24" : name)
  }
}
