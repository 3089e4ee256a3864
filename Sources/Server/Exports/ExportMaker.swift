import Foundation
import Music
import Recording

/// Makes the file of one export, on the calling thread.
struct ExportMaker {
  /// The take's folder.
  let take: TakeFolder
  /// The export's own folder.
  let target: TakeFolder
  /// The backing tracks that belong into the mix.
  let backings: [BackingSource]

  /// The folder of all exports in the data folder. No folder of a room begins with `_`.
  static let root = "_exports"

  static func path(of id: String) -> String { "\(root)/\(id)" }

  /// Makes the file for an order; returns its name and size.
  ///
  /// - Parameter progress: receives the fraction done, 0 to 1; an error ends the export, and no file is left.
  func make(
    _ order: ExportOrder, progress: @escaping (Double) throws -> Void
  ) throws -> (file: String, size: Int64) {
    let (request, source) = (order.request, order.source)
    let manifest = source.manifest(request.source)
    switch request.kind {
    case .mix:
      let mix = MixDown(of: take, manifest: manifest, cues: source.cues, backings: backings)
      let name = "mix.\(request.format.ending)"
      let made = try mix.write(
        name, in: target, settings: request.settings, shifts: try mix.shifts(for: request.perspective),
        format: request.format, rate: request.rate, title: request.title, progress: progress)
      return (made.file.name, made.file.size)
    case .archive:
      let archive = try ZIPArchive(ofTake: take, manifest: source.manifest, cues: source.cues)
      let made = try archive.write("take.zip", in: target, progress: progress)
      return (made.name, made.size)
    case .stems, .reaper, .ardour, .audacity, .dawproject:
      guard let format = ProjectFormat(rawValue: request.kind.rawValue) else {
        throw ExportUnavailable(what: "exports of the kind \(request.kind.rawValue)")
      }
      let project = ProjectExport(of: take, manifest: manifest)
      let settings = try MixDown(of: take, manifest: manifest, cues: source.cues)
        .settings(request.settings, in: request.perspective)
      let made = try project.writeArchive(
        project.outputName(format, isArchive: true), in: target, format, settings: settings,
        cues: source.cues, tempo: source.take.song?.tempo, progress: progress)
      guard let file = made.files.first else { throw ExportUnavailable(what: "file for \(format.rawValue)") }
      return (file.name, file.size)
    }
  }
}
