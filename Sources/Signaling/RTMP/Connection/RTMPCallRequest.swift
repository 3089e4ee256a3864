/// A client's call of a method of the application.
package struct RTMPCallRequest: Hashable, Sendable {
  package let ticket: RTMPCallTicket
  /// To be looked up whole first; "service.method" where it has a dot.
  package let name: String
  package let arguments: [AMFValue]
}
