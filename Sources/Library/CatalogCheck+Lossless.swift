import Music
import Recording

extension CatalogCheck {
  /// Compares the lossless tracks with their list, and the list with the take's tracks.
  func checkLossless(_ contents: TakeContents, in folder: TakeFolder, _ report: inout Report) throws {
    let list = try LosslessTracks(of: contents.take.id, in: folder)
    for file in list.files {
      check(
        TakeFile(
          name: file.name, role: file.role.rawValue, track: file.track, size: file.size,
          digestMethod: file.digest?.method, digest: file.digest?.value),
        in: folder, &report)
    }
    for entry in list.tracks {
      guard let track = contents.tracks.first(where: { $0.id == entry.track }) else {
        report.findings.append(
          Finding(
            code: "lossless-differs", folder: folder.path,
            text: "\(entry.sound.name) belongs to the track \(entry.track), which the take has not"))
        continue
      }
      if track.length != entry.length {
        report.findings.append(
          Finding(
            code: "lossless-differs", folder: folder.path,
            text: "\(entry.sound.name) was aligned with another render of the take, and is not offered"))
      }
    }
  }
}
