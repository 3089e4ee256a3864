import Music
import NIOPosix
import Recording

extension Refinement {
  /// What a second look made of `take`, nil where there was none yet, or nothing to better, or no manifest can be read.
  package static func known(of take: Take, in root: String) async -> Refinement? {
    try? await NIOThreadPool.singleton.runIfActive {
      try Manifest(of: TakeFolder(existing: take.folder, in: root)).refinement
    }
  }
}
