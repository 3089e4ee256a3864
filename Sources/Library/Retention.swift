import Machines
import Music

/// The rules for keeping takes.
package struct RetentionPolicy: Hashable, Sendable {
  /// Days until the takes of a room move to the trash; other rooms follow `days`.
  package var daysByRoom: [RoomName: Int]
  /// Days for the other rooms; nil to keep their takes for ever.
  package var days: Int?
  package var keepsFavourites: Bool
  /// Minimum rating of takes to keep; nil to disregard ratings.
  package var keepsRatings: Int?
  /// Days until takes in the trash are removed for good.
  package var trashDays: Int

  package init(
    daysByRoom: [RoomName: Int] = [:], days: Int? = nil, keepsFavourites: Bool = true, keepsRatings: Int? = 1,
    trashDays: Int = Library.defaultTrashDays
  ) {
    self.daysByRoom = daysByRoom
    self.days = days
    self.keepsFavourites = keepsFavourites
    self.keepsRatings = keepsRatings
    self.trashDays = trashDays
  }

  /// Days until the takes of `room` move to the trash; nil for never.
  func days(of room: RoomName) -> Int? { daysByRoom[room] ?? days }

  func keeps(_ take: Take) -> Bool {
    if keepsFavourites, take.annotations.isFavourite { return true }
    if let least = keepsRatings, let rating = take.annotations.rating, rating >= least { return true }
    return false
  }
}

/// Moves takes to the trash and purges them according to a policy.
package struct Retention: Sendable {
  private static let day: Int64 = 86_400_000

  /// The takes to move or purge.
  package struct Plan: Sendable {
    /// Takes to move to the trash.
    package var expired: [Take] = []
    /// Takes in the trash to remove for good.
    package var purged: [Take] = []
  }

  private let library: Library
  private let policy: RetentionPolicy

  package init(_ library: Library, policy: RetentionPolicy) {
    self.library = library
    self.policy = policy
  }

  /// Determines what is due at `now`; changes nothing.
  package func plan(at now: WallTime) async throws -> Plan {
    var plan = Plan()
    for room in try await library.index.rooms() {
      guard let days = policy.days(of: room) else { continue }
      let limit = WallTime(milliseconds: now.milliseconds - Int64(days) * Retention.day)
      try await everyTake(TakeQuery(room: room, startedBefore: limit, sort: .oldest, limit: 200)) { take in
        if [.ready, .incomplete, .failed].contains(take.state), !policy.keeps(take) { plan.expired.append(take) }
      }
    }
    let limit = now.milliseconds - Int64(policy.trashDays) * Retention.day
    try await everyTake(TakeQuery(shelf: .deleted, sort: .oldest, limit: 200)) { take in
      if let deletedAt = take.deletedAt, deletedAt.milliseconds <= limit { plan.purged.append(take) }
    }
    return plan
  }

  /// Carries out `plan`. Takes edited, restored or rendered in the meantime stay as they are.
  /// - Returns: the part of the plan that was carried out.
  package func carryOut(_ plan: Plan) async throws -> Plan {
    var done = Plan()
    for take in plan.purged {
      do {
        // It may have been restored and deleted again since; its time then starts anew.
        guard try await library.index.take(take.id)?.deletedAt == take.deletedAt else { continue }
        try await library.purge(take.id)
        done.purged.append(take)
      } catch is LibraryError {
        continue
      }
    }
    for take in plan.expired {
      do {
        done.expired.append(try await library.delete(take.id, ifRevision: take.revision))
      } catch is LibraryError {
        continue
      }
    }
    return done
  }

  private func everyTake(_ query: TakeQuery, _ body: (Take) -> Void) async throws {
    var query = query
    repeat {
      let page = try await library.index.takes(query)
      page.items.forEach(body)
      query.cursor = page.next
    } while query.cursor != nil
  }
}
