/// A line other than `v=`, `o=`, `s=`, `m=` and `a=`, kept as it came: `c=`, `t=`, `b=` and their rarer cousins.
package struct SDPLine: Sendable, Hashable {
  /// The small letter before the equals sign.
  package var type: Character
  package var value: String

  package init(_ type: Character, _ value: String) {
    self.type = type
    self.value = value
  }

  /// The connection line of every section whose address ICE will tell (RFC 8840 §4.1.1).
  package static let connectionByICE = SDPLine("c", "IN IP4 0.0.0.0")
}
