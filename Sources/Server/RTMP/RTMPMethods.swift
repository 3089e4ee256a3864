import Logging
import Rooms
import Signaling

/// One call of a client: its arguments, and the seat that it is made from.
struct RTMPCall: Sendable {
  var name: String
  var arguments: [AMFValue]
  var membership: Membership
  var services: RTMPServices

  /// An argument that must be a string.
  /// - Throws: `RoomRefusal` `.malformed`, naming its place.
  func text(_ index: Int, _ what: String) throws(RoomRefusal) -> String {
    guard let text = optionalText(index) else {
      throw RoomRefusal(.malformed, "argument \(index + 1) of \(name) must be a string: \(what)")
    }
    return text
  }

  func optionalText(_ index: Int) -> String? {
    arguments.indices.contains(index) ? arguments[index].string : nil
  }
}

/// The methods that RTMP clients may call, by name. More are added by `add`.
struct RTMPMethods: Sendable {
  typealias Method = @Sendable (RTMPCall) async throws -> RTMPAnswer

  private var methods: [String: Method] = [:]

  /// Adds a method, or replaces the one of that name; a name with a dot is a service's ("room.roster").
  mutating func add(_ name: String, _ method: @escaping Method) {
    methods[name] = method
  }

  /// Carries a call out.
  /// - Throws: `RTMPCallError` with the status that the client library knows.
  func perform(_ call: RTMPCall) async throws(RTMPCallError) -> RTMPAnswer {
    guard let method = methods[call.name] else { throw unknown(call.name) }
    do {
      return try await method(call)
    } catch let refusal as RoomRefusal {
      let isDenied = refusal.code == .unauthorized || refusal.code == .forbidden
      throw RTMPCallError(isDenied ? .accessDenied : .invocationException, refusal.description)
    } catch {
      call.services.logger.error("a call failed", metadata: ["method": "\(call.name)", "error": "\(error)"])
      throw RTMPCallError(.generalException, "\(call.name) failed; the service's log says why")
    }
  }

  private func unknown(_ name: String) -> RTMPCallError {
    let service = name.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(separator: ".")
    let isKnown = service.isEmpty || methods.keys.contains { $0.hasPrefix(service + ".") }
    return isKnown ? .methodNotFound(String(name.prefix(64))) : .serviceNotFound(String(service.prefix(64)))
  }
}
