import Library
import Machines
import Music
import Recording

/// A part of the work on an import, for a process of its own.
struct ImportOrder: Sendable, Codable {
  enum Task: Sendable, Codable {
    /// Finds out what takes the files make.
    case plan
    /// Makes the take of the plan's `number`, from 0, in the folder `workshop` of the data folder.
    case make(number: Int, Take, people: [Participant], files: [ImportedFile], workshop: String)
  }

  var id: ImportID
  var wish: ImportJob.Wish
  /// Name and version of this release.
  var software: String
  var task: Task

  init(_ job: ImportJob, _ software: String, _ task: Task) {
    (id, wish, self.software, self.task) = (job.id, job.wish, software, task)
  }
}

/// A take that the files of an import make.
struct PlannedTake: Sendable, Codable {
  var startedAt: WallTime
  var musicians: [DisplayName]
  var files: [ImportedFile]
}

/// The other end: does the work in the folders of an import.
struct ImportMaker {
  let order: ImportOrder
  /// The files that were sent.
  let source: TakeFolder
  /// Where the take's files go, and temporary ones.
  let target: TakeFolder
  /// The data folder.
  let root: String

  /// - Parameter progress: receives the fraction done; an error it throws ends the work.
  /// - Throws: `ImportProblem`, `FileProblem`, errors of `progress`.
  func run(progress: @escaping (Double?) throws -> Void) throws -> JobResult {
    let planner = ImportPlanner(ofUploadsWith: "\(root)/\(target.path)", ignoresTimes: order.wish.ignoresTimes)
    let plans = try planner.plans(ofUploadsIn: "\(root)/\(source.path)").map(wished)
    switch order.task {
    case .plan:
      return .planned(
        try plans.map { plan in
          PlannedTake(
            startedAt: plan.startedAt, musicians: plan.lanes.map(\.name),
            files: try plan.files.map { file in
              try progress(nil)
              return try ImportedFile(file)
            })
        })
    case .make(let number, let take, let people, let files, _):
      guard plans.indices.contains(number), plans[number].lanes.count == people.count else {
        throw JobFailure(description: "the files of the import have changed since they were looked at")
      }
      return .imported(
        try TakeImport(plans[number], in: target, software: order.software)
          .make(take, people: people, files: files, aligns: order.wish.aligns) { try progress($0) })
    }
  }

  private func wished(_ plan: ImportPlan) -> ImportPlan {
    var plan = plan
    if let origin = order.wish.origin { plan.origin = origin }
    if let start = order.wish.startedAt { plan.startedAt = start }
    return plan
  }
}
