import Foundation
import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/rooms/{room}/rtp`: plain RTP and SRTP for encoders, GStreamer, ffmpeg and load tests.
struct RTPInputsResource {
  let broker: Broker
  let limits: ServerLimits

  private static let fields = [
    "name", "part", "consent", "profile", "payloadType", "redundancyPayloadType", "captureTimeExtension", "ssrc", "key",
    "channels",
  ]
  /// Key and salt of AES_CM_128_HMAC_SHA1_80 and of AEAD_AES_128_GCM, in bytes.
  private static let keyLengths = [30, 28]

  var resources: [Resource] {
    [
      Resource("/v1/rooms/:room/rtp", options: [.acceptPost: MediaTypeName.json]).on(.post, .openInput) {
        request, context in
        try await open(request, context)
      },
      Resource("/v1/rooms/:room/rtp/:input").on(.delete, .openInput) { _, context in
        try await broker.removeRTPInput(try context.part("input"), in: try context.room())
        return .empty(.noContent)
      },
    ]
  }

  private func open(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let room = try context.room()
    let fields = try await request.fields(RTPInputsResource.fields, limit: limits.body)
    let input = try await broker.addRTPInput(in: room, try wish(fields))
    let location = "/v1/rooms/\(room.description.percentEncoded)/rtp/\(input.id.percentEncoded)"
    let body: JSONValue = [
      "id": .string(input.id),
      "host": .string(input.host),
      "port": .integer(Int64(input.port)),
      "participant": .string(input.participant.description),
      "ssrc": .integer(Int64(input.ssrc)),
      "profile": .string(input.profile.rawValue),
      "payloadType": .integer(Int64(input.payloadType)),
    ]
    return Response(json: body, status: .created, headers: [.location: location])
  }

  private func wish(_ fields: BodyFields) throws(Problem) -> RTPInputRequest {
    let profiles = Dictionary(uniqueKeysWithValues: RTPInputRequest.Profile.allCases.map { ($0.rawValue, $0) })
    let profile = try fields.word("profile", among: profiles)
    let key = try key(fields)
    switch (profile, key) {
    case (.savp, nil):
      throw Problem.invalid(
        "key", value: nil,
        "RTP/SAVP needs a \"key\": master key and salt in base64, 30 bytes for AES_CM_128_HMAC_SHA1_80 "
          + "or 28 for AEAD_AES_128_GCM")
    case (.avp, .some):
      throw Problem.invalid("key", value: nil, "RTP/AVP has no \"key\"; use \"profile\": \"RTP/SAVP\" for SRTP")
    case (.avp, nil), (.savp, .some): break
    }
    let payloadType = try fields.integer("payloadType", in: 0...127)
    let redundancy = try fields.optionalInteger("redundancyPayloadType", in: 0...127)
    let captureTime = try fields.optionalInteger("captureTimeExtension", in: 1...14)
    let ssrc = try fields.optionalInteger("ssrc", in: 0...Int64(UInt32.max))
    let channels = try fields.optionalInteger("channels", in: 1...2)
    return RTPInputRequest(
      name: try fields.displayName("name"), part: try fields.part("part"),
      consents: try fields.optionalBool("consent") ?? true, profile: profile, payloadType: UInt8(clamping: payloadType),
      redundancyPayloadType: redundancy.map { UInt8(clamping: $0) },
      captureTimeExtension: captureTime.map { UInt8(clamping: $0) }, ssrc: ssrc.map { UInt32(clamping: $0) }, key: key,
      channels: Int(channels ?? 2))
  }

  /// A key is a secret: no problem repeats it.
  private func key(_ fields: BodyFields) throws(Problem) -> [UInt8]? {
    guard let text = try fields.optionalString("key") else { return nil }
    guard let bytes = Data(base64Encoded: text).map(Array.init), RTPInputsResource.keyLengths.contains(bytes.count)
    else {
      throw Problem.invalid(
        "key", value: nil,
        "\"key\" must be base64 of master key and salt: 30 bytes (AES_CM_128_HMAC_SHA1_80) or 28 "
          + "(AEAD_AES_128_GCM)", permitted: RTPInputsResource.keyLengths.map { "\($0) bytes" })
    }
    return bytes
  }
}
