import Music
import Testing

@testable import Signaling

@Suite struct KurentoRefusalTests {
  /// Join, media, unpublishing, candidate, other.
  private static let table: [RoomRefusal.Code: [Int64]] = [
    .roomFull: [201, 201, 201, 201, 201],
    .nameTaken: [104, 104, 104, 104, 104],
    .invalidName: [999, 999, 999, 999, 999],
    .unauthorized: [204, 303, 303, 303, 999],
    .forbidden: [204, 303, 303, 303, 999],
    .notJoined: [102, 102, 102, 102, 102],
    .alreadyJoined: [104, 104, 104, 104, 104],
    .unknownPeer: [999, 303, 105, 303, 999],
    .unknownParticipant: [102, 102, 102, 102, 102],
    .notPublishing: [105, 105, 105, 105, 105],
    .alreadyPublishing: [303, 303, 303, 303, 303],
    .invalidDescription: [302, 302, 302, 302, 302],
    .invalidCandidate: [306, 306, 306, 306, 306],
    .tooMany: [201, 303, 303, 303, 999],
    .wrongState: [999, 303, 303, 303, 999],
    .noTake: [999, 999, 999, 999, 999],
    .takeRolling: [999, 999, 999, 999, 999],
    .invalidText: [999, 999, 999, 999, 999],
    .unknownObject: [999, 999, 999, 999, 999],
    .objectPersistence: [999, 999, 999, 999, 999],
    .unknownMethod: [-32_601, -32_601, -32_601, -32_601, -32_601],
    .callFailed: [999, 999, 999, 999, 999],
    .malformed: [-32_602, -32_602, -32_602, -32_602, -32_602],
    .tooLarge: [999, 302, 302, 306, 999],
    .rateLimited: [201, 303, 303, 303, 999],
    .storage: [204, 303, 303, 303, 999],
    .unavailable: [203, 303, 303, 303, 203],
  ]

  @Test(arguments: RoomRefusal.Code.allCases)
  func everyRefusalHasItsCodeInEveryContext(refusal: RoomRefusal.Code) {
    let codes = KurentoRefusal.Context.allCases.map { KurentoRefusal.code(of: refusal, in: $0) }
    #expect(codes == KurentoRefusalTests.table[refusal])
    // 0 would be taken for -32700 by iOS.
    #expect(!codes.contains(0))
  }

  @Test(
    arguments: [
      ("publishVideo", #"{"sdpOffer":"v=0"}"#, RoomRefusal.Code.invalidDescription, 302),
      ("publishVideo", #"{"sdpOffer":"v=0"}"#, .unavailable, 303),
      ("receiveVideoFrom", #"{"sender":"bob","sdpOffer":"v=0"}"#, .unknownParticipant, 102),
      ("receiveVideoFrom", #"{"sender":"bob","sdpOffer":"v=0"}"#, .notPublishing, 105),
      ("onIceCandidate", #"{"endpointName":"bob","candidate":"c"}"#, .invalidCandidate, 306),
      ("onIceCandidate", #"{"endpointName":"bob","candidate":"c"}"#, .tooLarge, 306),
      ("sendMessage", #"{"message":"","userMessage":"ann","roomMessage":"take5"}"#, .invalidText, 999),
      ("customRequest", #"{"recorder":"take.stop"}"#, .noTake, 999),
      ("customRequest", #"{"recorder":"status"}"#, .notJoined, 102),
    ] as [(String, String, RoomRefusal.Code, Int64)])
  func theRoomsRefusalIsToldWithItsSentence(
    method: String, parameters: String, refusal: RoomRefusal.Code, code: Int64
  ) {
    var rig = KurentoRig.joined([KurentoSample.member("bob", publishes: true)])
    guard let operation = rig.ask(method, parameters).operation else { return _ = Issue.record("not performed") }
    let outputs = rig.feed(.refused(operation, RoomRefusal(refusal, "why not")))
    #expect(outputs.code == code)
    #expect(outputs.answers.first?["error"]?.object?["message"] == "why not")
  }

  @Test func aRefusedJoinMayBeTriedAgain() throws {
    var rig = KurentoRig()
    let operation = try #require(rig.ask("joinRoom", #"{"user":"ann","room":"take5"}"#).operation)
    #expect(rig.feed(.refused(operation, RoomRefusal(.nameTaken, "taken"))).code == 104)
    #expect(rig.join().result?["value"] == .array([]))
  }

  @Test(
    arguments: [
      ("joinRoom", #"{"user":"ann","room":"take5"}"#, 104),
      ("joinRoom", #"{"user":"ann","room":"other"}"#, 201),
      ("joinRoom", #"{"user":"","room":"other"}"#, 999),
      ("joinRoom", #"{"user":"ann","room":""}"#, 204),
      ("joinRoom", #"{"user":"ann","room":"a/b"}"#, 204),
      ("joinRoom", #"{"user":"ann","room":"take5","part":"a\u0007"}"#, 999),
      ("unpublishVideo", "{}", 105),
      ("receiveVideoFrom", #"{"sender":"ann_webcam","sdpOffer":"v=0"}"#, 105),
      ("receiveVideoFrom", #"{"sender":"cy_webcam","sdpOffer":"v=0"}"#, 105),
      ("receiveVideoFrom", #"{"sender":"nobody_webcam","sdpOffer":"v=0"}"#, 102),
      ("receiveVideoFrom", #"{"sender":"listener_webcam","sdpOffer":"v=0"}"#, 102),
      ("unsubscribeFromVideo", #"{"sender":"nobody_webcam"}"#, 102),
      ("sendMessage", #"{"message":"a","userMessage":"bob","roomMessage":"take5"}"#, 102),
      ("sendMessage", #"{"message":"a","userMessage":"ann","roomMessage":"take6"}"#, 202),
      ("customRequest", #"{"recorder":"explode"}"#, -32_601),
      ("customRequest", #"{"recorder":7}"#, -32_601),
      ("customRequest", #"{"recorder":"events","value":"maybe"}"#, -32_602),
    ] as [(String, String, Int64)])
  func whatTheMachineRefusesItselfReachesNoRoom(method: String, parameters: String, code: Int64) {
    var rig = KurentoRig.joined([
      KurentoSample.member("bob", publishes: true), KurentoSample.member("cy"),
      KurentoSample.member("listener", role: .listener),
    ])
    let outputs = rig.ask(method, parameters)
    #expect(outputs.code == code)
    #expect(outputs.count == 1)
  }

  @Test(arguments: KurentoMethod.allCases.filter { $0 != .joinRoom })
  func everythingNeedsAJoin(method: KurentoMethod) {
    var rig = KurentoRig()
    #expect(rig.ask(method.rawValue).code == 102)
  }
}
