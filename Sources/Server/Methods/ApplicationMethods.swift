import Library
import Logging
import Machines
import Music
import NIOCore
import Recording
import Rooms
import ServiceLifecycle
import Signaling

/// The methods of the band's own application, called from every dialect alike.
///
/// As a `Service` it closes the connections to the application at the end.
struct ApplicationMethods: NamedService {
  let configuration: MethodConfiguration
  let sender: MethodSender
  let counts = Counter(MethodCounts())
  private let places: CallPlaces
  private let logger: Logger

  /// The share of one connection, which has its own places.
  struct Lane: Sendable {
    /// Tells connections apart; no secret.
    let id: String
    fileprivate let places: CallPlaces
  }

  init(_ configuration: MethodConfiguration, sender: MethodSender, logger: Logger) {
    self.configuration = configuration
    self.sender = sender
    self.logger = logger
    places = CallPlaces(configuration.limit)
  }

  func run() async throws {
    try? await gracefulShutdown()
    await sender.close()
  }

  func lane() -> Lane {
    Lane(id: "\(ULID(at: MonotonicClock.wall))", places: CallPlaces(configuration.perConnection))
  }

  /// True for a method of the service that no endpoint can replace: all but the echoes, which are there for trying out.
  static func isKept(_ method: String) -> Bool {
    isBuiltIn(method) && !RTMPMethods.echoes.contains(method)
  }

  private static func isBuiltIn(_ method: String) -> Bool { RTMPMethods.standard.actions[method] != nil }

  /// The endpoint of a method: its own, or that of all methods which the service does not have itself.
  private func endpoint(of method: String) -> WebhookURL? {
    configuration.named[method] ?? (ApplicationMethods.isBuiltIn(method) ? nil : configuration.everything)
  }

  /// True if a call of this method goes to the application.
  func has(_ method: String) -> Bool { endpoint(of: method) != nil }

  /// Calls a method for a member; nil if it returns nothing.
  /// - Throws: `MethodFailure` with a sentence for the caller.
  func perform(
    _ method: String, _ arguments: [SharedValue], by member: Membership, at door: Authorisation.Door, in lane: Lane
  ) async throws(MethodFailure) -> SharedValue? {
    do throws(RoomRefusal) {
      try Authorisation.check(member.principal, .callMethod, on: .room(member.room), at: door)
    } catch {
      throw MethodFailure(.denied, error.description)
    }
    try MethodCall.check(method)
    guard let url = endpoint(of: method) else { throw unknown(method) }
    let me = member.snapshot.members.first { $0.participant.id == member.participant }
    let call = MethodCall(
      id: "call_\(ULID(at: MonotonicClock.wall))", method: method, arguments: arguments, room: member.room,
      participant: member.participant, name: me?.participant.name.description, authority: member.principal.authority,
      connection: lane.id, dialect: door)
    do throws(MethodFailure) {
      let value = try await answer(to: call, url, lane).value(of: method)
      counts.add { $0.answered += 1 }
      return value
    } catch {
      if error.kind == .failed {
        counts.add { $0.failed += 1 }
        logger.warning(
          "a call of the application failed",
          metadata: ["method": "\(method)", "call": "\(call.id)", "reason": "\(error.sentence)"])
      } else {
        counts.add { $0.refused += 1 }
      }
      throw error
    }
  }

  private func unknown(_ method: String) -> MethodFailure {
    if ApplicationMethods.isBuiltIn(method) {
      return MethodFailure(
        .unknown, "\(method) is a method of the service for RTMP; this protocol has requests of its own")
    }
    return MethodFailure(
      .unknown,
      configuration.isEmpty
        ? "there is no method \(method): this service has no application (--methods)"
        : "there is no method \(method)")
  }

  /// Waits for a place of the connection, then for one of the service, and posts; all within the time limit.
  private func answer(
    to call: MethodCall, _ url: WebhookURL, _ lane: Lane
  ) async throws(MethodFailure) -> MethodAnswer {
    let limit = configuration.timeLimit
    do {
      return try await withThrowingTaskGroup(of: MethodAnswer?.self) { group in
        group.addTask {
          try await lane.places.use {
            try await places.use {
              try await sender.post(
                call, to: url, secrets: configuration.secrets,
                // The wait below ends first, with a sentence of its own.
                timeLimit: TimeAmount(limit) + .seconds(5))
            }
          }
        }
        group.addTask {
          try await Task.sleep(for: limit)
          return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let answer = first else {
          throw MethodFailure(
            .failed, "the application did not answer within \(limit.components.seconds) seconds")
        }
        return answer
      }
    } catch let failure as MethodFailure {
      throw failure
    } catch {
      throw MethodFailure(.failed, "the call was cancelled: the connection or the service ends")
    }
  }
}

/// Counts of calls by outcome, for `/metrics`.
struct MethodCounts: Sendable {
  var answered = 0
  var refused = 0
  var failed = 0
}
