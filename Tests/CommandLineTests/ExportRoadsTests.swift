import ArgumentParser
import Music
import Recording
import Signaling
import Testing

@testable import Server
@testable import jamjar

/// What `jamjar export` is told means the same on the data folder and over REST.
@Suite struct ExportRoadsTests {
  private let tracks: [Track]
  private let cues: [Cue]
  private let length = SamplePosition(100 * SamplePosition.rate)

  init() throws {
    tracks = try ["Ada", "bob", "cyd", "bob", "5", "5"].enumerated().map { offset, name in
      let time = WallTime(milliseconds: Int64(offset + 1))
      return Track(
        id: TrackID(at: time), take: TakeID(at: time), number: offset + 1,
        participant: Participant(id: ParticipantID(at: time), name: try DisplayName(checking: name)))
    }
    let id = try #require(CueID("01ARYZ6S41TSV4RRFFQ69G5FAV"))
    cues = [Cue(id: id, position: SamplePosition(12_345), text: "Verse")]
  }

  /// What the words mean on the data folder.
  private func local(_ words: [String]) async throws -> ExportWish {
    let command = try await ExportCommand.asyncParse(["last"] + words)
    return try command.options.wish(tracks: tracks, cues: cues, length: length, output: command.output)
  }

  /// What a service reads in `body`, which travels as text.
  private func served(_ body: JSONObject) throws -> ExportWish {
    let read = try #require(try JSONValue(parsing: JSONValue.object(body).text).object)
    return try ExportFields(tracks: tracks, length: length, cues: cues)
      .wish(try BodyFields(read, permitted: ExportFields.names))
  }

  @Test(
    arguments: [
      ([], "{}"),
      (["--gain", "ada=-3", "--gain", "3=1.5"], #"{"mix":{"channels":{"1":{"gain":-3},"3":{"gain":1.5}}}}"#),
      (["--pan", "CYD=-0.25", "--mute", "ada"], #"{"mix":{"channels":{"3":{"pan":-0.25},"1":{"mute":true}}}}"#),
      (["--solo", "2", "--high-pass", "4=80"], #"{"mix":{"channels":{"2":{"solo":true},"4":{"highPass":80}}}}"#),
      (["--offset", "ada=12ms"], #"{"mix":{"channels":{"1":{"offset":0.012}}}}"#),
      (["--offset", "ada=-577samples"], #"{"mix":{"channels":{"1":{"offset":-0.012020833333333333}}}}"#),
      (["--master", "-1.5"], #"{"mix":{"gain":-1.5}}"#),
      (["--normalize", "-16"], #"{"mix":{"normalization":{"loudness":-16}}}"#),
      (
        ["--normalize", "-14", "--true-peak", "-2"], #"{"mix":{"normalization":{"loudness":-14,"truePeak":-2}}}"#
      ),
      (["--fade-in", "0.5", "--fade-out", "3"], #"{"mix":{"fadeIn":0.5,"fadeOut":3}}"#),
      (["--from", "1:23.5"], #"{"mix":{"from":83.5}}"#),
      (["--from", "verse", "--to", "50"], #"{"mix":{"from":"01ARYZ6S41TSV4RRFFQ69G5FAV","to":50}}"#),
      (["--format", "wav16", "--rate", "44100"], #"{"format":"wav16","rate":44100}"#),
      (["-o", "x/y.opus"], #"{"format":"opus"}"#), (["-o", "x/"], "{}"),
      (["--perspective", "as-played"], #"{"perspective":"as-played"}"#),
      (["--perspective", "ada"], #"{"perspective":"ada"}"#), (["--perspective", "ADA"], #"{"perspective":"1"}"#),
      (["--follow", "Cyd"], #"{"follow":"CYD"}"#), (["--follow", "4"], #"{"follow":"4"}"#),
      (["--source", "lossless"], #"{"source":"lossless"}"#),
      (["--project", "Reaper", "-o", "x"], #"{"kind":"reaper"}"#),
      (["--stems", "--zip", "--mute", "cyd"], #"{"kind":"stems","mix":{"channels":{"3":{"mute":true}}}}"#),
    ] as [([String], String)])
  func theSameWordsAreTheSameWish(_ words: [String], _ fields: String) async throws {
    let wish = try await local(words)
    #expect(try served(Representation.export(wish, of: tracks)) == wish)
    #expect(try served(try #require(try JSONValue(parsing: fields).object)) == wish)
  }

  @Test(
    arguments: [
      (["--gain", "ada=99"], #"{"mix":{"channels":{"1":{"gain":99}}}}"#, "mix.channels.1.gain"),
      (["--pan", "3=-2"], #"{"mix":{"channels":{"3":{"pan":-2}}}}"#, "mix.channels.3.pan"),
      (["--offset", "ada=601s"], #"{"mix":{"channels":{"1":{"offset":601}}}}"#, "mix.channels.1.offset"),
      (["--normalize", "3"], #"{"mix":{"normalization":{"loudness":3}}}"#, "mix.normalization.loudness"),
      (["--fade-in", "101"], #"{"mix":{"fadeIn":101}}"#, "mix.fadeIn"),
      (["--fade-in", "60", "--fade-out", "60"], #"{"mix":{"fadeIn":60,"fadeOut":60}}"#, "mix.fadeOut"),
      (["--from", "50", "--to", "20"], #"{"mix":{"from":50,"to":20}}"#, "mix.to"),
      (["--from", "100"], #"{"mix":{"from":100}}"#, "mix.from"),
      (["--to", "101"], #"{"mix":{"to":101}}"#, "mix.range"),
      (["--from", "Chorus"], #"{"mix":{"from":"01ARYZ6S41TSV4RRFFQ69G5FAW"}}"#, "mix.from"),
      (["--format", "opus", "--rate", "44100"], #"{"format":"opus","rate":44100}"#, "rate"),
      (["--perspective", "dan"], #"{"perspective":"dan"}"#, "perspective"),
      (["--perspective", "Bob"], #"{"perspective":"Bob"}"#, "perspective"),
      // Two are called so: the name comes before the number.
      (["--follow", "5"], #"{"follow":"5"}"#, "follow"), (["--follow", "7"], #"{"follow":"7"}"#, "follow"),
    ] as [([String], String, String)])
  func theSameWordsAreRefused(_ words: [String], _ fields: String, _ field: String) async throws {
    await #expect(throws: (any Error).self) { try await local(words) }
    let body = try #require(try JSONValue(parsing: fields).object)
    let problem = #expect(throws: Problem.self) { _ = try served(body) }
    #expect(problem?.field == field)
  }
}
