import CLinux
import Glibc

/// Unfinished files and folders: each has a name of its own, so that two writers of one name never share one.
extension TakeFolder {
  /// A name for the unfinished version of `name`: "mix.flac.1f8a03c7.part".
  static func newPartName(_ name: String) -> String {
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    let end = "." + String(repeating: "0", count: 8 - digits.count) + digits + partSuffix
    var stem = name
    while stem.utf8.count + end.utf8.count > FileComponent.maximumBytes, !stem.isEmpty { stem.removeLast() }
    return stem + end
  }

  /// Creates the unfinished version of the file `name`.
  func createPart(of name: String) throws(FileProblem) -> (file: Descriptor, part: String) {
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: label(name), operation: .create, code: EINVAL)
    }
    while true {
      let part = TakeFolder.newPartName(name)
      do throws(FileProblem) {
        return (try create(part), part)
      } catch  where error.code == EEXIST {
        continue
      }
    }
  }

  /// Removes the remains of an interrupted render but those to be continued.
  ///
  /// Only what a render makes: meanwhile others write edits, lists of lossless tracks, backups and exports here, which
  /// have unfinished files too.
  func removeRenderParts(except kept: Set<String> = []) throws(FileProblem) {
    for name in try names() where TakeFolder.isRenderPart(name) && !kept.contains(name) { try remove(name) }
  }

  /// True for "01-ada-guitar.flac.1f8a03c7.part", its peaks, the mix and the checkpoint.
  static func isRenderPart(_ name: String) -> Bool {
    guard name.hasSuffix(partSuffix) else { return false }
    if name == partName(TakeCheckpoint.name) { return true }
    guard !name.contains(LosslessTracks.mark) else { return false }
    let number = name.prefix { ("0"..."9").contains($0) }
    let isNamedSo = name.hasPrefix("mix.") || (!number.isEmpty && name.dropFirst(number.count).hasPrefix("-"))
    let endings = SoundFileFormat.allCases.map(\.ending) + ["dat"]
    return isNamedSo && endings.contains { name.contains(".\($0).") }
  }

  /// Gives the finished file or folder `part` the name `name`; `synchronize()` makes that durable.
  ///
  /// - Parameter replaces: true to replace an existing file.
  /// - Throws: `FileProblem`, with EEXIST if the name is taken.
  func publish(_ part: String, as name: String, replaces: Bool) throws(FileProblem) {
    guard FileComponent.isSafe(name) else {
      throw FileProblem(path: label(name), operation: .rename, code: EINVAL)
    }
    if !replaces {
      if jamjar_rename_new(descriptor.raw, part, descriptor.raw, name) == 0 { return }
      let code = errno
      // Some file systems (NFS) cannot rename without replacing.
      guard code == EINVAL || code == ENOSYS else {
        throw FileProblem(path: label(name), operation: .create, code: code, detail: TakeFolder.taken(code))
      }
      guard !has(name) else {
        throw FileProblem(path: label(name), operation: .create, code: EEXIST, detail: TakeFolder.taken(EEXIST))
      }
    }
    guard renameat(descriptor.raw, part, descriptor.raw, name) == 0 else {
      throw FileProblem(path: label(name), operation: .rename, code: errno)
    }
  }

  private static func taken(_ code: Int32) -> String? {
    code == EEXIST ? "choose another name, or move it" : nil
  }
}
