import Glibc

/// Keeps recordings from the other users of the machine.
enum PrivateFiles {
  /// Rights that no new file or folder grants: writing to the group, anything to others. Its group may read, for backups.
  static let withheld: mode_t = 0o027

  /// Withholds these rights from everything that this process and its children create from now on. A stricter mask of
  /// the process (umask(2), `UMask=` of a unit) stays in force.
  static func withhold() {
    let before = umask(withheld)
    _ = umask(before | withheld)
  }
}
