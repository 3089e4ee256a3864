import ArgumentParser
import Catalog
import Foundation
import Library
import Music
import Recording
import Rooms

/// Renders a finished take again from its journal, as the service does at a take's end.
struct TakesRenderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a take again from its journal: tracks, mix, peaks and manifest.",
    discussion: "The samples come out the same. Use it to restore lost or damaged files, or to update measurements.")

  @OptionGroup var takes: TakesArgument
  @OptionGroup var changes: ChangeOptions
  @OptionGroup var shelf: TakeShelfOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let shelf = try await TakeShelf(shelf, forReadingOnly: false)
      let found = try await takes.find(in: LocalSource(shelf))
      guard try changes.permit("render", found, of: takes, json: false) else { return }
      for view in found { try await render(try await shelf.take(view.id), on: shelf) }
    }
  }

  private func render(_ take: Take, on shelf: TakeShelf) async throws {
    let folder = try shelf.finishedFolder(of: take)
    let former = folder.has(TakeFolder.manifestName) ? try? Manifest(of: folder) : nil
    let lock = try lock(folder)
    let rendered = try render(take, in: folder, root: shelf.data, former: former)
    try await Library(recordings: shelf.data, index: shelf.index).shelve(rendered.manifest.contents)
    withExtendedLifetime(lock) {}
    print(report(rendered, former: former))
  }

  /// - Throws: `CommandFailure` if another process is rendering the take, or if there is no journal.
  private func lock(_ folder: TakeFolder) throws -> JournalLock {
    do {
      guard let lock = try JournalLock(in: folder) else {
        throw CommandFailure(
          ExitCodes.unsuitable, "another process renders \(folder.path) at this moment; wait for it")
      }
      return lock
    } catch let problem as FileProblem where problem.isMissing {
      throw CommandFailure(
        ExitCodes.noInput,
        "\(folder.path) has no \(TakeFolder.journalName), and without it nothing can be rendered")
    }
  }

  private func render(_ take: Take, in folder: TakeFolder, root: String, former: Manifest?) throws -> RenderedTake {
    var options = RenderOptions()
    if let format = former?.files.compactMap(\.format).first { options.format = format }
    // So that the same samples come out.
    if former?.refinement != nil {
      let refiner = try TakeRefiner(folder: folder, root: root)
      _ = try refiner.examine(options: options)
      options = refiner.refined(options)
    }
    var rendered = try TakeRenderer(folder: folder, take: take, options: options).finish()
    AttemptCount(Attempts.renderName, in: folder, by: "").clear()
    // Facts known at the take's end that are not in the journal are kept from the old manifest.
    let kept = (former?.notes ?? []).filter { !rendered.notes.contains($0) }
    guard !kept.isEmpty || former?.refinement != nil else { return rendered }
    rendered.notes = kept + rendered.notes
    rendered.manifest.refinement = former?.refinement
    rendered.manifest.notes = rendered.notes
    try rendered.manifest.write(in: folder)
    return rendered
  }

  private func report(_ rendered: RenderedTake, former: Manifest?) -> String {
    let take = rendered.take
    var lines = [
      "Rendered take \(take.number) in room \"\(take.room)\" again: \(take.state.rawValue), "
        + "\(Reading.length(take.length)), \(rendered.tracks.count) tracks."
    ]
    for file in rendered.manifest.files where file.role != .journal {
      let old = former?.files.first { $0.name == file.name }?.digest
      let finding =
        if let old { old == file.digest ? "bit for bit as before" : "other bytes than before" } else { "new" }
      lines.append("  \(file.name): \(finding)")
    }
    return lines.joined(separator: "\n")
  }
}
