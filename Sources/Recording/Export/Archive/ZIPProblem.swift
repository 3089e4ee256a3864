/// Why entries cannot be a ZIP archive.
package enum ZIPProblem: Error, Hashable, Sendable {
  /// A name that is empty, absolute, too long, leads out of the archive, or cannot be unpacked everywhere.
  case unsafeName(String)
  /// Two entries would have one name.
  case nameTwice(String)
  /// A length below zero.
  case impossibleSize(name: String, size: Int64)
}

extension ZIPProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsafeName(let name):
      "\"\(name.prefix(80))\" cannot be a name in a ZIP archive: a relative path of plain names is one"
    case .nameTwice(let name): "the archive would have two files \"\(name)\""
    case .impossibleSize(let name, let size): "\"\(name)\" cannot have \(size) bytes"
    }
  }
}
