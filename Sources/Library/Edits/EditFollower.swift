import Logging
import Music
import Recording
import ServiceLifecycle
import Signaling
import Synchronization

/// Publishes the log's edits, of this process and of others, as events: each once, in the log's order.
package final class EditFollower: Sendable {
  /// Edits read from the log at once: more than one of its files has, so that none is read twice.
  private static let batch = 16_384

  private struct State {
    /// The number of the last published edit.
    var told: UInt64
    var mark = ""
  }

  private let log: EditLog
  private let feed: EventFeed
  private let state: Mutex<State>

  /// Begins with the edit after the latest one of `log`.
  init(_ log: EditLog, feed: EventFeed) throws(FileProblem) {
    self.log = log
    self.feed = feed
    let last = try log.last()
    state = Mutex(State(told: last))
    feed.begin(log, at: last)
  }

  /// Publishes the edits that are new.
  func follow() throws(FileProblem) {
    try state.withLock { state throws(FileProblem) in
      // Taken before the reading: an edit during it is found by the next call.
      let mark = try log.mark()
      guard mark != state.mark else { return }
      // Somebody has emptied the folder, and the log begins anew.
      if try log.last() < state.told { state.told = 0 }
      while true {
        let edits = try log.edits(after: state.told, limit: EditFollower.batch)
        guard let last = edits.last else { break }
        for edit in edits {
          if let event = edit.event { feed.publish(event, edit: edit.number) }
        }
        state.told = last.number
      }
      state.mark = mark
    }
  }
}

/// Publishes the edits of other processes while the service runs, and completes those that a killed process left.
package struct EditWatch: NamedService {
  /// How often to look at the log.
  private static let pause = Duration.milliseconds(200)
  /// Looks in a row that find a noted edit before it counts as left: its process may be at it.
  private static let patience = 5

  let library: Library
  let follower: EditFollower?
  let logger: Logger

  /// What the looks so far have found; a problem that stays is logged once.
  struct Looks {
    /// How many in a row have found a noted edit.
    var noted = 0
    var cannotFollow = false
    var cannotComplete = false
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var looks = Looks()
      while !Task.isCancelled {
        await look(&looks)
        try? await Task.sleep(for: EditWatch.pause)
      }
    }
  }

  /// Publishes what is new, and completes an edit that was left.
  func look(_ looks: inout Looks) async {
    do {
      // The files may be long; a thread of Swift's pool does not wait for them.
      let isNoted = try await library.errands.run { [follower, library] () throws(FileProblem) in
        try follower?.follow()
        return library.hasPendingEdit
      }
      looks.cannotFollow = false
      looks.noted = isNoted ? looks.noted + 1 : 0
      if !isNoted { looks.cannotComplete = false }
    } catch {
      if !looks.cannotFollow {
        logger.error("the edits of other processes cannot be followed", metadata: ["error": "\(error)"])
      }
      looks.cannotFollow = true
      return
    }
    guard looks.noted >= EditWatch.patience else { return }
    looks.noted = 0
    do {
      try await library.settle()
      looks.cannotComplete = false
    } catch LibraryError.busy {
      // Its process is still at it.
    } catch {
      if !looks.cannotComplete {
        logger.error("the edit of a killed process cannot be completed", metadata: ["error": "\(error)"])
      }
      looks.cannotComplete = true
    }
  }
}
