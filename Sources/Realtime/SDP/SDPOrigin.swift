/// The `o=` line (RFC 8866 §5.2): who made the description, and its version.
///
/// Identifier and version stay text: RFC 8866 calls them numeric strings of any length, and nobody computes with them.
package struct SDPOrigin: Sendable, Hashable {
  package var username: String
  package var sessionID: String
  /// Rises with every changed description of one side.
  package var sessionVersion: String
  package var networkType: String
  package var addressType: String
  package var address: String

  package init(
    username: String = "-", sessionID: String, sessionVersion: String, networkType: String = "IN",
    addressType: String = "IP4", address: String = "0.0.0.0"
  ) {
    self.username = username
    self.sessionID = sessionID
    self.sessionVersion = sessionVersion
    self.networkType = networkType
    self.addressType = addressType
    self.address = address
  }

  /// Reads the value of an `o=` line; nil unless it has six fields.
  init?(parsing value: String) {
    let fields = value.split(separator: " ", maxSplits: 6).map(String.init)
    guard fields.count == 6 else { return nil }
    self.init(
      username: fields[0], sessionID: fields[1], sessionVersion: fields[2], networkType: fields[3],
      addressType: fields[4], address: fields[5])
  }

  /// The value of the line.
  var text: String {
    [username, sessionID, sessionVersion, networkType, addressType, address].joined(separator: " ")
  }
}
