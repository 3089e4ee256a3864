import Music
import Recording
import Testing

@testable import Server

@Suite struct ExportBookTests {
  private func book(queue: Int = 3, capacity: Int = 10) -> ExportBook {
    ExportBook(queueLimit: queue, capacity: capacity, retention: 60)
  }

  private func time(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1_000) }

  private func job(_ id: String, at seconds: Int64 = 0, in room: String = "Cellar") throws -> ExportJob {
    ExportJob(
      id: id, take: TakeID(at: time(0)), room: try RoomName(checking: room), kind: .mix, format: "flac24",
      rate: 48_000, downloadName: "x.flac", createdAt: time(seconds))
  }

  @Test func makesThemInTheOrderInWhichTheyWereAskedFor() throws {
    var book = book()
    for id in ["b", "a", "c"] { _ = book.submit(try job(id)) }
    let started1 = book.start()
    let started2 = book.start()
    let started3 = book.start()
    let started4 = book.start()
    #expect([started1?.id, started2?.id, started3?.id, started4?.id] == ["b", "a", "c", nil])
  }

  @Test func roomsTakeTurns() throws {
    var book = book(queue: 10)
    for id in ["a1", "a2", "a3"] { _ = book.submit(try job(id, in: "Attic")) }
    _ = book.submit(try job("b1", in: "Barn"))
    _ = book.submit(try job("c1", in: "Cellar"))
    var started: [String] = []
    while let next = book.start() {
      started.append(next.id)
      if next.id == "a2" { _ = book.submit(try job("b2", in: "Barn")) }
    }
    #expect(started == ["a1", "b1", "c1", "a2", "b2", "a3"])
  }

  @Test func aRoomHasAShareAndTheOperatorAReserve() throws {
    var book = book(queue: 8)
    let attic = try ["1", "2", "3"].map { book.submit(try job("a\($0)", in: "Attic"), isPrivileged: false) }
    #expect(attic.last == .full(ofRoom: 2))
    for room in ["Barn", "Cellar"] {
      for number in 1...2 { _ = book.submit(try job("\(room)\(number)", in: room), isPrivileged: false) }
    }
    #expect(book.submit(try job("d1", in: "Den"), isPrivileged: false) == .full(ofRoom: nil))
    for id in ["o1", "o2"] {
      guard case .queued = book.submit(try job(id, in: "Attic")) else { Issue.record("the reserve is gone"); continue }
    }
    #expect(book.submit(try job("o3")) == .full(ofRoom: nil))
  }

  @Test func answersTheSameWishWithTheSameExport() throws {
    var book = book()
    _ = book.submit(try job("a"))
    let submission5 = book.submit(try job("a", at: 5))
    #expect(submission5 == .existing(try #require(book.jobs["a"])))
    _ = book.start()
    let finished6 = book.finish("a", file: "mix.flac", size: 7, at: time(9))
    let done = try #require(finished6)
    let submission7 = book.submit(try job("a", at: 10))
    #expect(submission7 == .existing(done))
    #expect(done.state == .done && done.progress == 1 && done.createdAt == time(0))
  }

  @Test func triesAgainWhatFailed() throws {
    var book = book()
    _ = book.submit(try job("a"))
    _ = book.start()
    let failed8 = book.fail("a", problem: "no", at: time(1))
    #expect(failed8?.problem == "no")
    guard case .queued = book.submit(try job("a", at: 2)) else {
      Issue.record("it was not tried again")
      return
    }
    let started9 = book.start()
    #expect(started9?.problem == nil)
  }

  @Test func aPostponedExportWaitsUntilItIsResumed() throws {
    var book = book()
    for id in ["a", "b"] { _ = book.submit(try job(id)) }
    _ = book.start()
    _ = book.advance("a", to: 0.5)
    let postponed = book.postpone("a")
    #expect(postponed?.state == .queued && postponed?.progress == 0)
    let next = book.start()
    let none = book.start()
    #expect([next?.id, none?.id] == ["b", nil])
    for _ in 0..<2 { book.resume("a") }
    let again = book.start()
    let onlyOnce = book.start()
    #expect([again?.id, onlyOnce?.id] == ["a", nil])
  }

  @Test func aPostponedExportCanBeCancelled() throws {
    var book = book()
    for id in ["a", "b"] {
      _ = book.submit(try job(id))
      _ = book.start()
    }
    _ = book.remove("a", at: time(1))
    let removed = book.postpone("a")
    #expect(removed == nil && !book.isUnwanted("a"))
    _ = book.postpone("b")
    let removal = book.remove("b", at: time(1))
    #expect(removal?.isStillWritten == false && removal?.job.state == .cancelled)
    book.resume("b")
    let none = book.start()
    #expect(none == nil)
  }

  @Test func takesNoMoreThanItsLimits() throws {
    var book = book(queue: 2, capacity: 3)
    _ = book.submit(try job("a"))
    _ = book.submit(try job("b"))
    let submission10 = book.submit(try job("c"))
    #expect(submission10 == .full(ofRoom: nil))
    _ = book.start()
    _ = book.submit(try job("c"))
    _ = book.start()
    let submission11 = book.submit(try job("d"))
    #expect(submission11 == .full(ofRoom: nil))
  }

  @Test func cancelsWhatWaitsAtOnceAndWhatRunsAtItsNextStep() throws {
    var book = book()
    _ = book.submit(try job("a"))
    _ = book.submit(try job("b"))
    _ = book.start()
    let advanced12 = book.advance("a", to: 0.5)
    #expect(advanced12)
    #expect(book.jobs["a"]?.progress == 0.5)
    // Never backwards, never beyond its ends.
    for wrong in [0.1, -1, .nan, .infinity] {
      let isKept = book.advance("a", to: wrong)
      #expect(isKept)
    }
    #expect((0.5...1).contains(book.jobs["a"]?.progress ?? 0))
    let removed13 = book.remove("b", at: time(1))
    let waiting = try #require(removed13)
    #expect(!waiting.wasOver && !waiting.isStillWritten && waiting.job.state == .cancelled)
    let removed14 = book.remove("a", at: time(1))
    let running = try #require(removed14)
    #expect(running.isStillWritten)
    let advanced15 = book.advance("a", to: 0.6)
    #expect(!advanced15)
    // As long as the first try still ends, a second one would write into the same folder.
    let submission16 = book.submit(try job("a"))
    #expect(submission16 == .full(ofRoom: nil))
    let finished17 = book.finish("a", file: "f", size: 1, at: time(2))
    #expect(finished17 == nil)
    let started18 = book.start()
    #expect(started18 == nil)
    let again = try job("a", at: 9)
    let submission19 = book.submit(again)
    #expect(submission19 == .queued(again))
    let removed20 = book.remove("x", at: time(3))
    #expect(removed20 == nil)
  }

  @Test func forgetsWhatWasKeptLongEnough() throws {
    var book = book()
    _ = book.submit(try job("a"))
    _ = book.submit(try job("b"))
    _ = book.start()
    _ = book.finish("a", file: "f", size: 1, at: time(100))
    let expired21 = book.expire(at: time(159))
    #expect(expired21.isEmpty)
    let expired22 = book.expire(at: time(160))
    #expect(expired22.map(\.id) == ["a"])
    #expect(book.list.map(\.id) == ["b"])
    let expired23 = book.expire(at: time(1_000_000))
    #expect(expired23.isEmpty)
  }

  @Test func takesFinishedOnesOfAFormerProcessOver() throws {
    var book = book()
    var former = try job("a")
    book.restore(former)
    #expect(book.list.isEmpty)
    (former.state, former.file, former.size, former.finishedAt) = (.done, "f", 7, time(5))
    book.restore(former)
    let submission24 = book.submit(try job("a", at: 9))
    #expect(submission24 == .existing(former))
  }
}
