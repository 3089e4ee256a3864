import ArgumentParser
import Recording

/// What kind of file is written.
struct ExportFileOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "flac24, flac16, wav24, wav16, wav32f, bwf24, opus or mp3. (default: by the ending of --output, or flac24)")
  var format: String?
  @Option(name: .long, help: "Samples per second: 48000, 44100, 88200 or 96000. (default: 48000)")
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
  }
}

extension ExportFormat {
  /// The format of that name; without a number of bits it is 24.
  init?(named name: String) {
    let name = name.lowercased()
    self.init(rawValue: ["flac", "wav", "bwf"].contains(name) ? name + "24" : name)
  }
}
