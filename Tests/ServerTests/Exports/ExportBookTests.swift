import Music
import Testing

@testable import Server

@Suite struct ExportBookTests {
  private func book(queue: Int = 3, capacity: Int = 10) -> ExportBook {
    ExportBook(queueLimit: queue, capacity: capacity, retention: 60)
  }

  private func time(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1_000) }

  private func job(_ id: String, at seconds: Int64 = 0) throws -> ExportJob {
    ExportJob(
      id: id, take: TakeID(at: time(0)), room: try RoomName(checking: "Cellar"), kind: .mix, format: "flac24",
      rate: 48_000, downloadName: "x.flac", createdAt: time(seconds))
  }

  @Test func makesThemInTheOrderInWhichTheyWereAskedFor() throws {
    var book = book()
    for id in ["b", "a", "c"] { _ = book.submit(try job(id)) }
    #expect([book.start()?.id, book.start()?.id, book.start()?.id, book.start()?.id] == ["b", "a", "c", nil])
  }

  @Test func answersTheSameWishWithTheSameExport() throws {
    var book = book()
    _ = book.submit(try job("a"))
    #expect(book.submit(try job("a", at: 5)) == .existing(try #require(book.jobs["a"])))
    _ = book.start()
    let done = try #require(book.finish("a", file: "mix.flac", size: 7, at: time(9)))
    #expect(book.submit(try job("a", at: 10)) == .existing(done))
    #expect(done.state == .done && done.progress == 1 && done.createdAt == time(0))
  }

  @Test func triesAgainWhatFailed() throws {
    var book = book()
    _ = book.submit(try job("a"))
    _ = book.start()
    #expect(book.fail("a", problem: "no", at: time(1))?.problem == "no")
    guard case .queued = book.submit(try job("a", at: 2)) else {
      Issue.record("it was not tried again")
      return
    }
    #expect(book.start()?.problem == nil)
  }

  @Test func takesNoMoreThanItsLimits() throws {
    var book = book(queue: 2, capacity: 3)
    _ = book.submit(try job("a"))
    _ = book.submit(try job("b"))
    #expect(book.submit(try job("c")) == .full)
    _ = book.start()
    _ = book.submit(try job("c"))
    _ = book.start()
    #expect(book.submit(try job("d")) == .full)
  }

  @Test func cancelsWhatWaitsAtOnceAndWhatRunsAtItsNextStep() throws {
    var book = book()
    _ = book.submit(try job("a"))
    _ = book.submit(try job("b"))
    _ = book.start()
    #expect(book.advance("a", to: 0.5))
    #expect(book.jobs["a"]?.progress == 0.5)
    // Never backwards, never beyond its ends.
    for wrong in [0.1, -1, .nan, .infinity] { #expect(book.advance("a", to: wrong)) }
    #expect((0.5...1).contains(book.jobs["a"]?.progress ?? 0))
    let waiting = try #require(book.remove("b", at: time(1)))
    #expect(!waiting.wasOver && !waiting.isStillWritten && waiting.job.state == .cancelled)
    let running = try #require(book.remove("a", at: time(1)))
    #expect(running.isStillWritten)
    #expect(!book.advance("a", to: 0.6))
    // As long as the first try still ends, a second one would write into the same folder.
    #expect(book.submit(try job("a")) == .full)
    #expect(book.finish("a", file: "f", size: 1, at: time(2)) == nil)
    #expect(book.start() == nil)
    let again = try job("a", at: 9)
    #expect(book.submit(again) == .queued(again))
    #expect(book.remove("x", at: time(3)) == nil)
  }

  @Test func forgetsWhatWasKeptLongEnough() throws {
    var book = book()
    _ = book.submit(try job("a"))
    _ = book.submit(try job("b"))
    _ = book.start()
    _ = book.finish("a", file: "f", size: 1, at: time(100))
    #expect(book.expire(at: time(159)).isEmpty)
    #expect(book.expire(at: time(160)).map(\.id) == ["a"])
    #expect(book.list.map(\.id) == ["b"])
    #expect(book.expire(at: time(1_000_000)).isEmpty)
  }

  @Test func takesFinishedOnesOfAFormerProcessOver() throws {
    var book = book()
    var former = try job("a")
    book.restore(former)
    #expect(book.list.isEmpty)
    (former.state, former.file, former.size, former.finishedAt) = (.done, "f", 7, time(5))
    book.restore(former)
    #expect(book.submit(try job("a", at: 9)) == .existing(former))
  }
}
