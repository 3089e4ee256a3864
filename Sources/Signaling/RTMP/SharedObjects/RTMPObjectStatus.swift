/// The codes of event 7.
package enum RTMPObjectStatus: String, Hashable, Sendable, CaseIterable {
  /// It does not exist and may not be created; header version 0.
  case objectCreationFailed = "SharedObject.ObjectCreationFailed"
  /// It exists with the other persistence; header version 0.
  case badPersistence = "SharedObject.BadPersistence"
  /// It may not be used; header version is the current one.
  case noReadAccess = "SharedObject.NoReadAccess"
  /// A set, remove or clear was denied; header version is the current one.
  case noWriteAccess = "SharedObject.NoWriteAccess"

  /// The event that says so.
  package var event: RTMPObjectEvent { .status(code: rawValue, level: "error") }
}
