/// Who changes a shared object.
package enum SharedWriter: Hashable, Sendable {
  /// A member, by what the creator of an object is known by later.
  case member(String)
  /// Whoever runs the service, by REST.
  case service
  /// The room itself, for the objects that only it writes.
  case room
}
