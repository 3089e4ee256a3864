import Testing

@testable import Music

@Suite struct TrackFinderTests {
  private func track(_ number: Int, _ name: String) throws -> Track {
    let time = WallTime(milliseconds: Int64(number))
    return Track(
      id: TrackID(at: time), take: TakeID(at: time), number: number,
      participant: Participant(id: ParticipantID(at: time), name: try DisplayName(checking: name)))
  }

  /// The numbers of those whom a word can mean, of tracks of these names from 1.
  private func finder(_ names: String...) throws -> TrackFinder {
    TrackFinder(among: try names.enumerated().map { try track($0.offset + 1, $0.element) })
  }

  @Test func aMusicianIsFoundByNameInAnyCase() throws {
    let band = try finder("Ada", "Bob", "Ömer")
    #expect(try band.track("Ada").number == 1)
    #expect(try band.track("bOB").number == 2)
    #expect(try band.track("ömer").number == 3)
  }

  @Test func theExactNameComesFirst() throws {
    let band = try finder("ADA", "ada", "1")
    #expect(try band.track("ada").number == 2)
    #expect(try band.track("ADA").number == 1)
    // Somebody is called so; the number of a track comes after names.
    #expect(try band.track("1").number == 3)
    #expect(throws: TrackFindingProblem(text: "Ada", isAmbiguous: true)) { try band.track("Ada") }
  }

  @Test func numbersAndIdentifiersMeanTracksToo() throws {
    let band = try finder("ada", "ada")
    #expect(try band.track("2").number == 2)
    #expect(try band.track(band.tracks[1].id.description).number == 2)
    #expect(throws: TrackFindingProblem(text: "ada", isAmbiguous: true)) { try band.track("ada") }
    for nobody in ["3", "02", "", "bob"] {
      #expect(throws: TrackFindingProblem(text: nobody, isAmbiguous: false)) { try band.track(nobody) }
    }
  }
}
