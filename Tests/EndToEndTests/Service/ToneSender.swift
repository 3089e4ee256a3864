import Signaling

/// ffmpeg playing a tone into an RTP input of a room.
struct ToneSender {
  private let process: ChildProcess
  private let address: String

  init(_ name: String, frequency: Int, in room: String, of service: Service) async throws {
    let answer = try await HTTP.send(
      "POST", "\(service.address)/v1/rooms/\(room)/rtp",
      json: ["name": .string(name), "profile": "RTP/AVP", "payloadType": 111])
    guard answer.status == 201, let input = try answer.json.object else {
      throw EndToEndFailure("no RTP input for \(name): \(answer.status)")
    }
    address = "\(service.address)/v1/rooms/\(room)/rtp/\(input["id"]?.string ?? "")"
    process = try ChildProcess(
      "ffmpeg",
      [
        "-loglevel", "error", "-re", "-f", "lavfi", "-i", "sine=frequency=\(frequency):sample_rate=48000", "-c:a",
        "libopus", "-b:a", "96k", "-payload_type", "111", "-f", "rtp",
        "rtp://\(input["host"]?.string ?? ""):\(input["port"]?.integer ?? 0)",
      ])
  }

  func end() async throws {
    await process.terminate()
    _ = try await HTTP.send("DELETE", address)
  }
}
