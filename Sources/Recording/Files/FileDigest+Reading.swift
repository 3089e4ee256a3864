import CLinux

extension FileDigest {
  /// Reads the file `name` of `folder` and computes its fingerprint; memory is one block, however long the file is.
  package init(of name: String, in folder: TakeFolder) throws(FileProblem) {
    let file = try folder.open(name)
    let path = folder.label(name)
    let length = try file.length(path: path)
    var sums: [UInt8] = []
    var position: Int64 = 0
    repeat {
      let block = try file.read(at: position, count: FileDigest.blockSize, path: path)
      sums += SHA256.hash(block)
      position += Int64(FileDigest.blockSize)
    } while position < length
    self.init(value: SHA256.hash(sums).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}
