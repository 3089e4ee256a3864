import Music
import Recording
import Signaling
import Testing

@testable import Server

/// The document permits no value that the service refuses: its enumerations and bounds are those of the code.
@Suite struct OpenAPIBoundsTests {
  private let document: OpenAPIDocument

  init() throws { document = try OpenAPIDocument.shared.get() }

  /// The schema at a path of members below a named schema.
  private func schema(_ name: String, _ members: String...) throws -> JSONObject {
    var found = document.resolve(.object(["$ref": .string("#/components/schemas/\(name)")]))
    for member in members { found = document.resolve(found?["properties"]?.object?[member]) }
    return try #require(found, "\(name).\(members.joined(separator: "."))")
  }

  /// The schema of a query parameter of `GET path`.
  private func parameter(_ name: String, _ path: String) throws -> JSONObject {
    let operation = try #require(document.item(for: path)?["get"]?.object)
    let found = (operation["parameters"]?.array ?? []).compactMap(document.resolve).first {
      $0["name"] == .string(name)
    }
    return try #require(document.resolve(found?["schema"]), "\(name) of \(path)")
  }

  private func words(_ schema: JSONObject) -> [String]? { schema["enum"]?.array?.compactMap(\.string) }

  private func bounds(_ schema: JSONObject) throws -> ClosedRange<Double> {
    let (least, most) = (try #require(schema["minimum"]?.double), try #require(schema["maximum"]?.double))
    try #require(least <= most)
    return least...most
  }

  @Test func enumerationsAreThoseOfTheCode() throws {
    #expect(words(try schema("ExportRequest", "kind")) == ExportKind.allCases.map(\.rawValue))
    #expect(words(try schema("ExportRequest", "format")) == ExportFormat.allCases.map(\.rawValue))
    #expect(words(try schema("ExportRequest", "source")) == TrackSource.allCases.map(\.rawValue))
    let rates = try schema("ExportRequest", "rate")["enum"]?.array?.compactMap(\.integer)
    #expect(rates == ExportFormat.wav24.rates.map { Int64($0) }.sorted())
    #expect(words(try parameter("state", "/v1/takes")) == TakeState.allCases.map(\.rawValue))
    #expect(words(try parameter("sort", "/v1/takes")) == TakeQuery.Sort.allCases.map(\.rawValue))
    #expect(words(try parameter("state", "/v1/exports")) == ExportJob.State.allCases.map(\.rawValue))
    #expect(words(try schema("Import", "state")) == ImportJob.State.allCases.map(\.rawValue))
    #expect(try schema("ImportRequest", "files")["maxItems"]?.integer == Int64(ImportConfiguration().files))
    let types = try #require(document.resolve(try parameter("types", "/v1/events")["items"]))
    #expect(Set(words(types) ?? []) == Set(ServiceEventKind.filterWords))
  }

  @Test func ratesOfAFormatAreThoseOfTheCode() throws {
    let rules = try #require(try schema("ExportRequest")["allOf"]?.array?.compactMap(\.object))
    for format in ExportFormat.allCases where format.rates != ExportFormat.wav24.rates {
      let rule = rules.first {
        $0["if"]?.object?["properties"]?.object?["format"]?.object?["const"] == .string(format.rawValue)
      }
      let rate = try #require(rule?["then"]?.object?["properties"]?.object?["rate"]?.object, "\(format)")
      let permitted = rate["const"].map { [$0] } ?? rate["enum"]?.array ?? []
      #expect(permitted.compactMap(\.integer) == format.rates.map { Int64($0) }.sorted())
    }
  }

  @Test func boundsOfAMixAreThoseOfTheCode() throws {
    #expect(try bounds(try schema("MixSettings", "gain")) == MixSettings.gains)
    #expect(try bounds(try schema("MixChannel", "gain")) == MixSettings.gains)
    #expect(try bounds(try schema("MixChannel", "pan")) == MixSettings.pans)
    #expect(try bounds(try schema("MixChannel", "highPass")) == MixSettings.highPasses)
    #expect(try bounds(try schema("MixSettings", "normalization", "loudness")) == MixSettings.loudnessTargets)
    #expect(try bounds(try schema("MixSettings", "normalization", "truePeak")) == MixSettings.truePeaks)
    let offsets = MixSettings.offsets
    #expect(
      try bounds(try schema("MixChannel", "offset"))
        == SamplePosition(offsets.lowerBound).seconds...SamplePosition(offsets.upperBound).seconds)
  }

  @Test func textsHaveTheLengthsOfTheCode() throws {
    for (kind, schema) in [
      (TextKind.title, try schema("Title")), (.title, try schema("TakeChanges", "title")),
      (.title, try schema("TakeRequest", "song")), (.notes, try schema("TakeChanges", "notes")),
      (.notes, try schema("SongRequest", "notes")), (.key, try schema("SongRequest", "key")),
      (.key, try schema("SongChanges", "key")), (.cue, try schema("CueRequest", "text")),
      (.title, try schema("ShareRequest", "title")),
    ] {
      #expect(schema["maxLength"]?.integer == Int64(kind.characters), "\(kind.field)")
      #expect(schema["minLength"]?.integer == 1, "\(kind.field)")
    }
    let tags = try schema("TakeChanges", "tags")
    #expect(tags["maxItems"]?.integer == Int64(TakeAnnotations.maximumTags))
    #expect(document.resolve(tags["items"])?["maxLength"]?.integer == Int64(TextKind.tag.characters))
    #expect(try schema("SongRequest", "composers")["maxItems"]?.integer == Int64(Song.maximumComposers))
    #expect(try schema("SongRequest", "tempo")["maxItems"]?.integer == Int64(TempoMap.maximumChanges))
  }
}
