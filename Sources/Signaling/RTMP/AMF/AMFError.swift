/// Why bytes are no AMF value, or none that is taken.
package enum AMFError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes end inside of this.
  case truncated(String)
  /// A marker that is reserved or unknown.
  case marker(UInt8, isAMF3: Bool)
  /// More elements than bytes are left: each would take one at least.
  case count(Int, left: Int)
  /// A reference to something that has not come or is not complete: a cycle fits in no tree.
  case reference(Int)
  case tooDeep(limit: Int)
  case tooManyValues(limit: Int)
  case tooManyBytes(limit: Int)
  /// A class name or key of too many bytes.
  case tooLong(String, limit: Int)
  /// An object whose bytes only its own class could read.
  case externalizable(String)
  /// A dictionary's key that is no string, number or boolean.
  case dictionaryKey

  package var description: String {
    switch self {
    case .truncated(let part): "the bytes end inside of \(part)"
    case .marker(let marker, let isAMF3): "\(marker) is no marker of \(isAMF3 ? "AMF3" : "AMF0") that is taken here"
    case .count(let count, let left): "\(count) elements are announced, but only \(left) bytes are left"
    case .reference(let index): "the reference \(index) points to nothing that is complete"
    case .tooDeep(let limit): "the values are nested more than \(limit) deep"
    case .tooManyValues(let limit): "there are more than \(limit) values, references expanded"
    case .tooManyBytes(let limit): "the values unfold to more than \(limit) bytes"
    case .tooLong(let part, let limit): "\(part) is longer than \(limit) bytes"
    case .externalizable(let name): "an externalizable object of class \"\(name.prefix(64))\" can't be read"
    case .dictionaryKey: "a dictionary's key must be a string, a number or a boolean"
    }
  }
}
