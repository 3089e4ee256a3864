import Music
import Testing

@testable import Rooms

@Suite struct TakePromisesTests {
  private let room: RoomName
  private let noon = WallTime(milliseconds: 1_760_000_000_000)

  init() throws {
    room = try RoomName(checking: "studio")
  }

  @Test func numbersGoOnFromWhatIsKnownAndWhatWasPromised() {
    var promises = TakePromises()
    #expect(promises.number(in: room, song: nil, known: 4) == 4)
    // The index does not know the fourth.
    #expect(promises.number(in: room, song: nil, known: 4) == 5)
    #expect(promises.number(in: room, song: nil, known: 9) == 9)
    #expect(promises.number(in: room, song: SongID(at: noon), known: 1) == 1)
  }

  @Test func aTitleThatIsNewIsOneSongInWhateverCase() {
    var promises = TakePromises()
    let song = promises.song(titled: "Straße", known: nil, at: noon)
    #expect(promises.song(titled: "STRASSE", known: nil, at: noon) == song)
    let known = Song(id: SongID(at: noon), title: "Blue in Green")
    #expect(promises.song(titled: "blue in green", known: known, at: noon) == known)
  }

  @Test func folderNamesTellTheNextNumber() {
    let names = ["01-untitled", "07-untitled-2", "09-untitled-blues", "12-Blue-in-Green", "notes", "3"]
    #expect(TakePromises.next(after: names, song: "untitled") == 8)
    #expect(TakePromises.next(after: names, song: "Blue-in-Green") == 13)
    #expect(TakePromises.next(after: ["99999999999999999999-untitled"], song: "untitled") == 1)
    #expect(TakePromises.next(after: [], song: "untitled") == 1)
  }
}
