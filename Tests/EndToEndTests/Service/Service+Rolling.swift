import Foundation
import Music
import Signaling
import TestSupport

extension Service {
  /// Waits until a take of the room rolls for so many seconds; its identifier.
  func rollingTake(in room: String, lasting seconds: Double) async throws -> String {
    var found: String?
    let process = process
    try await eventually("a take of \(seconds) seconds rolls in \(room)", or: { process.text }) {
      let take = try await takes(in: room).first { $0["state"]?.string == "rolling" }
      guard let take, let startedAt = take["startedAt"]?.string.flatMap(WallTime.init) else { return false }
      found = take["id"]?.string
      return Date().timeIntervalSince1970 - Double(startedAt.milliseconds) / 1e3 > seconds
    }
    guard let found else { throw EndToEndFailure("\(room) has no take") }
    return found
  }
}
