import Machines
import Music
import Testing

@testable import Signaling

/// The life of an archive, in virtual time.
@Suite struct OpenTokArchiveMachineTests {
  private let rig = OpenTokArchiveRig()

  @Test func anArchiveRecordsWhileSomebodyPublishes() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 10))
    archive.see(at: 5, streams: ["ada"], take: ("A", 15))
    archive.give(.stop(.user), at: 5)
    #expect(archive.value.status == .stopped)
    #expect(archive.value.reason == .user)
    // From the very sample at which it was started, since that was a command.
    let spans = archive.spans
    #expect(spans == ["A 10.0-15.0"])
    #expect(archive.value.length.seconds == 5)
    #expect(archive.news == [.stopped])
  }

  /// Its last looks see nothing, as rooms are being closed: what was played until then counts.
  @Test func theEndOfTheServiceCutsNothingOff() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.give(.stop(.systemFailure), at: 3)
    #expect(archive.spans == ["A 0.0-end"])
  }

  @Test func whoComesAndGoesForHoursFillsNoDisk() {
    var archive = rig.archive()
    for number in 0..<1_500 {
      archive.see(at: Double(number), streams: ["bob", "ada \(number)"], isMuted: number % 2 == 0, take: ("A", 0))
    }
    let stays = archive.value.stays
    let mutes = stays.reduce(0) { $0 + $1.mutes.count }
    #expect(stays.count == 500)
    #expect(mutes <= 1_500)
    #expect(archive.value.status == .started)
  }

  @Test func aTakeIsAskedForOnlyWhenSomebodyPlays() {
    var archive = rig.archive()
    archive.see(at: 0, streams: [], take: nil)
    #expect(archive.asked == 0)
    archive.see(at: 3, streams: ["ada"], take: nil)
    #expect(archive.asked == 1)
    // Not at every look.
    archive.see(at: 3.25, streams: ["ada"], take: nil)
    #expect(archive.asked == 1)
    archive.see(at: 6, streams: ["ada"], take: nil)
    #expect(archive.asked == 2)
  }

  @Test func noTimePassesWhilePaused() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 10, streams: [], take: ("A", 10))
    #expect(archive.value.status == .paused)
    archive.see(at: 100, streams: [], take: ("A", 100))
    archive.see(at: 200, streams: ["ada"], take: ("A", 200))
    #expect(archive.value.status == .started)
    archive.see(at: 205, streams: ["ada"], take: ("A", 205))
    archive.give(.stop(.user), at: 205)
    // Half a second before the look that noticed the return.
    #expect(archive.spans == ["A 0.0-10.0", "A 199.5-205.0"])
    #expect(archive.value.length.seconds == 15.5)
    #expect(archive.news == [.paused, .started, .stopped])
  }

  @Test func aReturnWithinAMinuteContinues() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 10, connections: 0, streams: [], take: nil)
    #expect(archive.value.status == .paused)
    archive.see(at: 69, connections: 0, streams: [], take: nil)
    #expect(archive.value.status == .paused)
    archive.see(at: 69.5, streams: ["ada"], take: ("B", 0.2))
    archive.see(at: 75, streams: ["ada"], take: ("B", 5.7))
    archive.give(.stop(.user), at: 75)
    // The first take has ended by itself: its own length counts.
    #expect(archive.spans == ["A 0.0-end", "B 0.0-5.7"])
  }

  @Test func aMinuteAfterTheLastLeaveItEnds() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 10, connections: 0, streams: [], take: nil)
    archive.see(at: 70, connections: 0, streams: [], take: nil)
    #expect(archive.value.status == .stopped)
    #expect(archive.value.reason == .sessionEnded)
  }

  @Test func aMinuteWithoutAnybodyPublishingEndsIt() {
    var archive = rig.archive()
    archive.see(at: 0, streams: [], take: nil)
    archive.see(at: 59.9, streams: [], take: nil)
    #expect(archive.value.status == .started)
    archive.see(at: 60, streams: [], take: nil)
    #expect(archive.value.status == .stopped)
    #expect(archive.spans.isEmpty)
  }

  @Test func anHourOfSilenceAndTwelveHoursEndIt() {
    var idle = rig.archive()
    idle.see(at: 0, streams: ["ada"], take: ("A", 0))
    idle.see(at: 1, streams: [], take: ("A", 1))
    idle.see(at: 3_602, streams: [], take: ("A", 3_602))
    #expect(idle.value.status == .stopped)
    var long = rig.archive()
    for hour in 0..<12 {
      let time = Double(hour) * 3_600
      long.see(at: time, streams: ["ada"], take: ("A", time))
      long.see(at: time + 1, streams: [], take: ("A", time + 1))
    }
    #expect(long.value.status == .paused)
    long.see(at: 12 * 3_600, streams: ["ada"], take: ("A", 43_200))
    #expect(long.value.reason == .tooLong)
  }

  @Test func fourHoursOfMusicEndIt() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 14_399, streams: ["ada"], take: ("A", 14_399))
    #expect(archive.value.status == .started)
    archive.see(at: 14_400, streams: ["ada"], take: ("A", 14_400))
    #expect(archive.value.status == .stopped)
    #expect(archive.value.reason == .tooLong)
  }

  @Test func aSplitOfTheTakeIsNoBreak() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 3))
    archive.see(at: 7, streams: ["ada"], take: ("B", 0.1))
    archive.see(at: 9, streams: ["ada"], take: ("B", 2.1))
    archive.give(.stop(.user), at: 9)
    #expect(archive.spans == ["A 3.0-end", "B 0.0-2.1"])
    #expect(archive.news == [.stopped])
  }

  @Test func whoeverStopsTheTakeStopsTheArchive() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 4, streams: ["ada"], take: nil)
    archive.see(at: 4.75, streams: ["ada"], take: nil)
    #expect(archive.value.status == .started)
    archive.see(at: 5, streams: ["ada"], take: nil)
    #expect(archive.value.status == .stopped)
    #expect(archive.value.reason == .user)
  }

  /// Another archive of the session has ended, for example, and the disk is busy.
  @Test func aSplitThatTakesAMomentIsNoStop() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 4, streams: ["ada"], take: nil)
    archive.see(at: 4.75, streams: ["ada"], take: ("B", 1.25))
    archive.see(at: 9, streams: ["ada"], take: nil)
    archive.see(at: 9.5, streams: ["ada"], take: nil)
    #expect(archive.value.status == .started)
    #expect(archive.spans == ["A 0.0-end", "B 0.0-end"])
    #expect(archive.asked == 0)
  }

  @Test func chosenStreamsMakeSpansOfTheirOwn() throws {
    var archive = rig.archive(#"{"streamMode":"manual"}"#)
    archive.see(at: 0, streams: ["ada", "bob"], take: ("A", 0))
    #expect(archive.value.status == .started)
    #expect(archive.spans.isEmpty)
    archive.give(.change(.add(archive.stream("ada"), hasAudio: true, hasVideo: true)), at: 1)
    archive.see(at: 1, streams: ["ada", "bob"], take: ("A", 1))
    archive.give(.change(.add(archive.stream("bob"), hasAudio: true, hasVideo: false)), at: 3)
    archive.see(at: 3, streams: ["ada", "bob"], take: ("A", 3))
    // Adding again changes the flags.
    archive.give(.change(.add(archive.stream("ada"), hasAudio: false, hasVideo: true)), at: 5)
    archive.see(at: 5, streams: ["ada", "bob"], take: ("A", 5))
    #expect(archive.value.choices.count == 2)
    archive.give(.change(.remove(archive.stream("bob"))), at: 7)
    archive.see(at: 7, streams: ["ada", "bob"], take: ("A", 7))
    #expect(archive.value.status == .paused)
    let musicians = archive.value.spans.map { $0.only?.count }
    #expect(musicians == [1, 2, 1])
    #expect(archive.spans.dropFirst() == ["A 3.0-5.0", "A 5.0-7.0"])
  }

  @Test func aReturnIsASecondStream() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada", "bob"], take: ("A", 0))
    archive.see(at: 5, streams: ["ada"], take: ("A", 5))
    archive.see(at: 8, streams: ["ada", "bob 2"], take: ("A", 8))
    let stays = archive.value.stays.map { "\($0.name) \($0.to == nil ? "stays" : "left")" }
    #expect(stays == ["ada stays", "bob left", "bob 2 stays"])
    archive.give(.stop(.user), at: 9)
    let open = archive.value.stays.filter { $0.to == nil }
    #expect(open.isEmpty)
  }

  @Test func aMuteIsNoted() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.see(at: 2, streams: ["ada"], isMuted: true, take: ("A", 2))
    archive.see(at: 4, streams: ["ada"], take: ("A", 4))
    let mutes = archive.value.stays.first?.mutes ?? []
    #expect(mutes.count == 1)
    let length = mutes.first.map { ($0.to ?? $0.from) - $0.from }
    #expect(length == .seconds(2))
  }

  @Test func afterItsEndOnlyItsFileIsWaitedFor() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.give(.stop(.user), at: 5)
    archive.see(at: 6, streams: ["ada"], take: ("A", 6))
    archive.give(.stop(.tooLong), at: 7)
    #expect(archive.value.reason == .user)
    let file = OpenTokArchive.File(name: "archive.zip", size: 12, sum: "c3Vt")
    archive.give(.made(file, length: SamplePosition(48_000)), at: 8)
    #expect(archive.value.status == .available)
    let json = archive.value.json(url: "http://x/y")
    #expect(json["duration"] == 1)
    #expect(json["size"] == 12)
    #expect(json["sha256sum"] == "c3Vt")
    archive.give(.expired, at: 9)
    #expect(archive.value.status == .expired)
    // An expired archive has no file to be deleted.
    archive.give(.deleted, at: 10)
    #expect(archive.value.status == .expired)
    #expect(archive.news == [.stopped, .available, .expired])
  }

  /// It never expires, and goes when it is deleted.
  @Test func anUploadedFileStays() {
    var archive = rig.archive()
    archive.see(at: 0, streams: ["ada"], take: ("A", 0))
    archive.give(.stop(.user), at: 5)
    let file = OpenTokArchive.File(name: "archive.zip", size: 12, sum: "c3Vt")
    archive.give(.made(file, length: SamplePosition(48_000), isUploaded: true), at: 8)
    archive.give(.expired, at: 9)
    #expect(archive.value.status == .uploaded && archive.value.hasFile)
    #expect(archive.value.json(url: nil)["url"] == .null)
    archive.give(.deleted, at: 10)
    #expect(archive.news == [.stopped, .uploaded, .deleted])
  }

  @Test(arguments: OpenTokArchive.Status.allCases, OpenTokArchive.Status.allCases)
  func nothingFollowsTheLastStatus(from: OpenTokArchive.Status, to: OpenTokArchive.Status) {
    let isLast = [OpenTokArchive.Status.deleted, .failed, .expired].contains(from)
    let isPermitted = from.mayBecome(to)
    if isLast { #expect(!isPermitted) }
    if to == .deleted { #expect(isPermitted == [.available, .uploaded].contains(from)) }
    if to == .started { #expect(isPermitted == (from == .paused)) }
  }
}
