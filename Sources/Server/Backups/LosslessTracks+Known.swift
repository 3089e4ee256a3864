import Music
import NIOPosix
import Recording

extension LosslessTracks {
  /// The lossless tracks of a take; nil where there are none, or what tells of them cannot be read: the tracks
  /// themselves are there all the same.
  static func known(of take: Take, in root: String) async -> LosslessTracks? {
    try? await NIOThreadPool.singleton.runIfActive {
      try LosslessTracks(of: take.id, in: TakeFolder(existing: take.folder, in: root))
    }
  }
}
