import Rooms
import Signaling
import Synchronization

/// Calls and changes of shared objects.
extension RTMPMember {
  func call(_ request: RTMPCallRequest) async -> RTMPServer.Input {
    let (membership, caller) = state.withLock { ($0.membership, $0.caller) }
    guard let membership, let caller else {
      return .fail(request.ticket, .onlyPublishes)
    }
    let call = RTMPCall(
      name: request.name, arguments: request.arguments, membership: membership, caller: caller, services: services
    ) { hears in self.state.withLock { $0.hearsEvents = hears } }
    do throws(RTMPCallError) {
      return .answer(request.ticket, try await services.methods.perform(call))
    } catch {
      return .fail(request.ticket, error)
    }
  }

  func callApplication(_ request: RTMPCallRequest) async -> RTMPServer.Input {
    guard let membership = state.withLock({ $0.membership }) else { return .fail(request.ticket, .onlyPublishes) }
    do throws(MethodFailure) {
      let value = try await services.application.perform(
        request.name, request.arguments.map(\.shared), by: membership, at: .rtmp, in: lane)
      return .answer(request.ticket, value.map { .value(AMFValue($0)) } ?? .void)
    } catch {
      return .fail(request.ticket, error.callError)
    }
  }

  func change(_ message: RTMPObjectMessage, _ commands: [RoomCommand]) async {
    guard let membership = state.withLock({ $0.membership }) else { return }
    for command in commands {
      do throws(RoomRefusal) {
        _ = try await membership.perform(command)
      } catch {
        put(.refusedObject(error, name: message.name))
      }
    }
  }
}

extension RTMPCallError {
  fileprivate static let onlyPublishes = RTMPCallError(
    .accessDenied, "a connection that only publishes cannot call methods")
}
