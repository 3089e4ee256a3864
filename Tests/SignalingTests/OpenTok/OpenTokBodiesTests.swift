import Music
import Testing

@testable import Signaling

/// Forms, bodies and answers of OpenTok's REST interface.
@Suite struct OpenTokBodiesTests {
  /// Hashes of no strength, which do for what is not about them.
  static let hashes = OpenTokHashes(
    sha1: { key, message in OpenTokBodiesTests.sum(key + message, 20) },
    sha256: { key, message in OpenTokBodiesTests.sum(key + message, 32) })

  private static func sum(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    var sum = [UInt8](repeating: 7, count: count)
    for (index, byte) in bytes.enumerated() { sum[index % count] = sum[index % count] &* 31 &+ byte }
    return sum
  }

  static func session(_ settings: OpenTokSessionID.Settings = .init()) throws -> OpenTokSessionID {
    let project = try OpenTokProject(key: "46000001", secret: String(repeating: "s", count: 40))
    let nonce = try #require(ULID("01M3250V0004HMASW9NF6YY093"))
    return try OpenTokSessionID(of: project, settings, nonce: nonce, hashes: hashes)
  }

  @Test func theFormsOfTheSDKsAreRead() throws {
    let python = try OpenTokCreation.settings(form: "p2p.preference=disabled&archiveMode=manual&e2ee=false")
    #expect(python == OpenTokSessionID.Settings(mode: .routed, archiveMode: .manual))
    let relayed = try OpenTokCreation.settings(form: "location=192.0.2.7&p2p.preference=enabled&archiveMode=")
    #expect(relayed.mode == .relayed)
    // Nothing is routed: archives work.
    #expect(try OpenTokCreation.settings(form: "").mode == .routed)
    let always = try OpenTokCreation.settings(
      form: "p2p.preference=disabled&archiveMode=always&archiveName=Probe+7%2C+%C3%A4&archiveResolution=640x480&new=1")
    #expect(always.archiveName == "Probe 7, ä" && always.archiveResolution == "640x480")
  }

  @Test func aWrongFormIsRefusedWithWhatWouldBeRight() throws {
    let table = [
      ("p2p.preference=maybe", "disabled or enabled"), ("archiveMode=often", "always or manual"),
      ("location=here", "IPv4"), ("location=1.2.3.256", "IPv4"), ("e2ee=true", "e2ee"), ("{\"a\":1}", "form"),
      ("archiveName=%ff", "percent"), ("archiveMode=always&p2p.preference=enabled", "routed"),
      ("archiveName=x", "archiveMode=always"), ("archiveMode=always&archiveResolution=1x1", "640x480"),
      ("archiveMode=always&archiveName=\(String(repeating: "x", count: 81))", "80 characters"),
    ]
    for (form, word) in table {
      do throws(OpenTokRefusal) {
        let settings = try OpenTokCreation.settings(form: form)
        let project = try OpenTokProject(key: "1", secret: String(repeating: "s", count: 40))
        _ = try OpenTokSessionID(of: project, settings, nonce: ULID(high: 1, low: 1), hashes: OpenTokBodiesTests.hashes)
        Issue.record("\(form) was accepted")
      } catch {
        #expect(error.status == 400 && error.message.contains(word), "\(form): \(error.message)")
      }
    }
  }

  @Test func aSessionIsAnsweredInJSONAndInXML() throws {
    let session = try OpenTokBodiesTests.session()
    let time = "Mon Sep 21 14:13:20 UTC 2026"
    #expect(OpenTokCreation.date(session.createdAt) == time)
    guard case .json(let value) = OpenTokCreation.answer(session, readsJSON: true).body else {
      Issue.record("no JSON")
      return
    }
    let object = try #require(value.array?.first?.object)
    #expect(object["session_id"] == .string(session.description) && object["create_dt"] == .string(time))
    #expect(object["partner_id"] == "46000001" && object["project_id"] == "46000001")
    #expect(object["session_status"] == .null && object["media_server_url"] == "")
    let xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><sessions><Session><session_id>\(session)"
      + "</session_id><partner_id>46000001</partner_id><create_dt>\(time)</create_dt></Session></sessions>"
    #expect(OpenTokCreation.answer(session, readsJSON: false).body == .xml(xml))
  }

  @Test func refusalsHaveCodeMessageAndDescriptionInBothForms() {
    let refusal = OpenTokRefusal(status: 409, code: 15_008, "a < b & c")
    let json: JSONValue = ["code": 15_008, "message": "a < b & c", "description": "a < b & c"]
    #expect(OpenTokAnswer(refusal, readsJSON: true) == .json(json, status: 409))
    let xml = "<errorPayload><code>15008</code><message>a &lt; b &amp; c</message></errorPayload>"
    #expect(OpenTokAnswer(refusal, readsJSON: false) == OpenTokAnswer(status: 409, .xml(xml)))
  }

  @Test(arguments: RoomRefusal.Code.allCases) func everyRefusalOfARoomHasAStatus(_ code: RoomRefusal.Code) {
    let refusal = OpenTokRefusal(RoomRefusal(code, "why", retryAfter: 3))
    #expect((400...503).contains(refusal.status) && refusal.message == "why" && refusal.retryAfter == 3)
  }

  @Test func signalsAreRead() throws {
    #expect(try OpenTokBodies.object([]) == JSONObject())
    let chat = try OpenTokBodies.signal(["type": "chat_1~-", "data": "hello"], to: nil)
    #expect(chat.type == "chat_1~-" && chat.data == "hello")
    let bare = try OpenTokBodies.signal(["type": .null, "data": ""], to: nil)
    #expect(bare.type == nil && bare.data.isEmpty)
    let long = String(repeating: "x", count: 8_192)
    #expect(try OpenTokBodies.signal(["data": .string(long)], to: nil).data == long)
    let wrong: [(JSONObject, Int)] = [
      ([:], 400), (["data": 7], 400), (["data": "x", "type": 7], 400), (["data": "x", "type": "a b"], 400),
      (["data": "x", "type": .string(String(repeating: "t", count: 129))], 413), (["data": .string(long + "x")], 413),
    ]
    for (body, status) in wrong {
      #expect(
        OpenTokBodiesTests.status { () throws(OpenTokRefusal) in try OpenTokBodies.signal(body, to: nil) } == status)
    }
  }

  @Test func mutesAreReadAlsoAsRubySendsThem() throws {
    let stream = "8fd64e41-2bd1-8f6e-a4d2-0a83f2c5b0aa"
    let python = try OpenTokBodies.mute(["active": true, "excludedStreams": [.string(stream)]])
    #expect(python.isActive && python.excluded.map(\.description) == [stream])
    let ruby = try OpenTokBodies.mute(["active": "false", "excludedStreams": .null])
    #expect(!ruby.isActive && ruby.excluded.isEmpty)
    for body in [
      [:], ["active": 1], ["active": true, "excludedStreams": "all"], ["active": true, "excludedStreams": [1]],
    ]
      as [JSONObject]
    {
      #expect(OpenTokBodiesTests.status { () throws(OpenTokRefusal) in _ = try OpenTokBodies.mute(body) } == 400)
    }
  }

  @Test func classListsAreRead() throws {
    let stream = "8fd64e41-2bd1-8f6e-a4d2-0a83f2c5b0aa"
    let item: JSONValue = ["id": .string(stream), "layoutClassList": ["focus", "big"]]
    let classes = try OpenTokBodies.classes(["items": [item]])
    #expect(classes[try #require(OpenTokStreamID(stream))] == ["focus", "big"])
    let wrong: [JSONValue] = [
      7, ["id": .string(stream)], ["id": "x", "layoutClassList": []], ["id": .string(stream), "layoutClassList": [1]],
      ["id": .string(stream), "layoutClassList": [""]],
    ]
    for item in wrong {
      let body: JSONObject = ["items": [item]]
      #expect(OpenTokBodiesTests.status { () throws(OpenTokRefusal) in _ = try OpenTokBodies.classes(body) } == 400)
    }
  }

  private static func status<Value>(_ body: () throws(OpenTokRefusal) -> Value) -> Int? {
    do throws(OpenTokRefusal) {
      _ = try body()
      return nil
    } catch {
      return error.status
    }
  }

  @Test func idsAreUUIDsAndDifferByParticipantStayAndKind() throws {
    let ada = ParticipantID(ULID(high: .max, low: .max))
    let bob = ParticipantID(ULID(high: .max, low: .max - 1))
    var seen: Set<String> = []
    for participant in [ada, bob] {
      for number in 0..<100 {
        seen.insert(OpenTokConnectionID(of: participant, stay: number).description)
        seen.insert(OpenTokStreamID(of: participant, publication: number).description)
      }
    }
    #expect(seen.count == 400)
    for text in seen { #expect(OpenTokStreamID(text)?.description == text) }
    #expect(OpenTokConnectionID(of: ada).description == OpenTokConnectionID(of: ada).description)
    for text in ["", "x", "8fd64e41-2bd1-8f6e-a4d2-0a83f2c5b0ag", "8fd64e412bd18f6ea4d20a83f2c5b0aa"] {
      #expect(OpenTokConnectionID(text) == nil)
    }
  }
}
