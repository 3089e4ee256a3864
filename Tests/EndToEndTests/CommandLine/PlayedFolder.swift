import Foundation

/// A data folder with one finished take of three musicians, made once and copied for every test.
enum PlayedFolder {
  private static let made = Task {
    let folder = try TemporaryFolder()
    // Whether the take is as exact as it should be, others test: a loaded machine may not play in time.
    _ = try await CommandRun(["demo", "--seconds", "3", "--data", folder.path + "/Recordings"])
    return folder
  }

  /// A copy: the data folder is `Recordings` in it.
  static func copy() async throws -> TemporaryFolder {
    let original = try await made.value
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: original.path + "/Recordings", toPath: folder.path + "/Recordings")
    return folder
  }

  /// The journal of the only take in a copy.
  static func journal(in folder: TemporaryFolder) throws -> String {
    guard let files = FileManager.default.enumerator(atPath: folder.path + "/Recordings"),
      let path = files.compactMap({ $0 as? String }).first(where: { $0.hasSuffix("take.journal") })
    else { throw EndToEndFailure("there is no journal in \(folder.path)") }
    return folder.path + "/Recordings/" + path
  }
}
