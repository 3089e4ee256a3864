import ArgumentParser
import Catalog
import Library
import Music
import Recording
import Rooms

/// Applies the retention rules now, or reports what they would do.
struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention",
    abstract: "Move old takes to the trash and empty it according to the settings; the service does this once a day.")

  @Flag(name: .long, help: "Report what would be done without doing it.")
  var dryRun = false
  @Flag(name: .long, help: "Print JSON.")
  var json = false
  @OptionGroup var settings: SettingsOptions

  /// What `--json` prints.
  private struct Result: Encodable {
    var dryRun: Bool
    var toTrash: [Take]
    var removed: [Take]
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let settings = try await Settings.read(settings)
      let options = try TakeShelfOptions.parse(["--data", settings.rooms.recordings])
      let shelf = try await TakeShelf(options, forReadingOnly: dryRun)
      let library = try Library(recordings: shelf.data, index: shelf.index)
      let retention = Retention(library, policy: settings.retention)
      var plan = try await retention.plan(at: MonotonicClock.wall)
      if !dryRun { plan = try await retention.carryOut(plan) }
      if json {
        return print(try PrettyJSON.text(Result(dryRun: dryRun, toTrash: plan.expired, removed: plan.purged)))
      }
      let verb = dryRun ? "would go" : "went"
      for take in plan.expired { print("\(take.id)  \(take.room), \(take.startedAt): \(verb) to the trash") }
      for take in plan.purged { print("\(take.id)  \(take.room), \(take.startedAt): \(verb) for good") }
      print("\(plan.expired.count) takes \(verb) to the trash, \(plan.purged.count) out of it for good.")
    }
  }
}
