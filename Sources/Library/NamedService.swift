import ServiceLifecycle

/// A service whose name is its type's.
///
/// `ServiceGroup` asks each service for its description, to name it in the log. Swift makes one of a value by printing its
/// fields, and theirs, through everything that it holds: settings and their keys too, and it took a tenth of a start.
package protocol NamedService: Service, CustomStringConvertible {}

extension NamedService {
  package var description: String { "\(Self.self)" }
}
