/// Where an address leads, as far as its number tells (RFC 6890, RFC 4291).
///
/// Promise 10: whoever names a candidate makes us send to it, so the shell refuses what its policy does not allow.
package enum AddressScope: Sendable, Hashable {
  /// Reachable from everywhere.
  case global
  /// A private, shared or unique local network.
  case privateNetwork
  /// The link only (169.254/16, fe80::/10), where cloud metadata services live too.
  case linkLocal
  /// The machine itself.
  case loopback
  case multicast
  /// "This network", the unspecified address, reserved blocks, broadcast: nobody to talk to.
  case unusable
  /// No number but a name, such as an mDNS one.
  case name
}
