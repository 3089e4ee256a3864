import ArgumentParser
import Recording

/// Exports for workstations instead of a mix.
struct ProjectOptions: ParsableArguments {
  /// The values of `--project`; stems have their own flag.
  private static let projects = ProjectFormat.allCases.filter { $0 != .stems }.map(\.rawValue)

  @Option(
    name: .long,
    help: "Write a project instead of a mix: reaper, ardour or audacity (a folder), or dawproject (one file).",
    completion: .list(ProjectOptions.projects))
  var project: String?
  @Flag(name: .long, help: "Write one mixed file, which is the default.")
  var mix = false
  @Flag(name: .long, help: "Write a folder with one broadcast WAV file per track, equally long, instead of a mix.")
  var stems = false
  @Flag(name: .long, help: "With --project or --stems: write one .zip instead of a folder.")
  var zip = false

  /// The requested format; nil for a mix.
  var format: ProjectFormat? { stems ? .stems : project.flatMap { ProjectFormat(rawValue: $0.lowercased()) } }

  func validate() throws {
    if let project {
      let all = ProjectOptions.projects.joined(separator: ", ")
      guard ProjectOptions.projects.contains(project.lowercased()) else {
        throw ValidationError("--project is \(project); permitted: \(all); for files alone there is --stems")
      }
      if stems { throw ValidationError("--project and --stems exclude each other; give one of them") }
    }
    if mix, let other = project.map({ "--project \($0)" }) ?? (stems ? "--stems" : nil) {
      throw ValidationError("--mix and \(other) exclude each other; give one of them")
    }
    if zip {
      guard let format else {
        throw ValidationError("--zip is for --project and --stems; a mix is one file anyway")
      }
      if format.isSingleFile { throw ValidationError("--zip: a .\(format.ending ?? "") is one file anyway") }
    }
  }
}
