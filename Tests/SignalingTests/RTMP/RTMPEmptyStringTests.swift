import Testing

@testable import Signaling

/// The iOS library writes an empty string as a lone marker, also within arrays.
@Suite struct RTMPEmptyStringTests {
  /// A strict array as that library writes it.
  private func array(_ elements: [AMFValue]) -> [UInt8] {
    var bytes: [UInt8] = [AMF0Marker.strictArray]
    bytes.append(UInt64(elements.count), octets: 4)
    for element in elements { bytes += element == "" ? [AMF0Marker.string] : AMFWriter.bytes([element]) }
    return bytes
  }

  @Test(
    arguments: [
      ["", ""], ["", 5], ["", 0], ["a", "", "b"], ["", true, "", .null], ["", "x", ""], [["", 1], ""],
      ["", ["a": 1]], ["", .date(milliseconds: 5)],
    ] as [[AMFValue]])
  func isReadInAnyPlaceOfAnArray(elements: [AMFValue]) {
    // One level is enough of a test for the nested one: its inner array is written by the same rule.
    let bytes =
      elements.first?.elements == nil
      ? array(elements)
      : [AMF0Marker.strictArray, 0, 0, 0, 2] + array(["", 1]) + [AMF0Marker.string]
    let sequence = AMFSequence(ByteReader(bytes))
    #expect(sequence.failure == nil && sequence.values == [.array(elements)], "\(sequence)")
  }

  @Test func aChangeWithOneReachesTheRoom() {
    var server = RawServer.connected()
    _ = server.send(RTMPObjectMessage("demo", [.use]).message())
    // The value ends with the event.
    let value: AMFValue = ["C", "", "G"]
    var event: [UInt8] = []
    event.append(text16: "chords")
    event += array(["C", "", "G"])
    var body = Array(RTMPObjectMessage("demo", []).message().body)
    body.append(3)
    body.append(UInt64(event.count), octets: 4)
    let outputs = server.send(RTMPMessage(type: 19, body: body + event))
    #expect(outputs.objects.map(\.events) == [[.requestChange("chords", value)]])
  }

  @Test func aChangeThatCannotBeReadIsRefusedAndTheClientGetsTheObjectAgain() {
    var server = RawServer.connected()
    _ = server.send(RTMPObjectMessage("demo", isPersistent: true, [.use]).message())
    _ = server.replies()
    var body = Array(RTMPObjectMessage("demo", version: 3, isPersistent: true, []).message().body)
    // A value of a reserved type.
    body += [3, 0, 0, 0, 4, 0, 1, 0x61, 4]
    let outputs = server.send(RTMPMessage(type: 19, body: body))
    #expect(outputs.dropped.count == 1 && outputs.closing == nil)
    #expect(outputs.objects == [RTMPObjectMessage("demo", version: 3, isPersistent: true, [.use])])
    let reply = server.replies().first.flatMap { try? RTMPObjectMessage($0, limits: RTMPLimits()) }
    #expect(reply?.events == [RTMPObjectStatus.noWriteAccess.event])
    // An object that this client does not use stays unknown to it.
    body[5] = UInt8(ascii: "x")
    #expect(server.send(RTMPMessage(type: 19, body: body)).objects.isEmpty)
    #expect(server.replies().isEmpty)
  }
}
