import Signaling
import Testing

@Suite struct EventStreamReaderTests {
  private let text =
    EventStreamText.opening(retry: 2_000, at: EventID(epoch: "E", number: 3, edit: 7))
    + EventStreamText.heartbeat(at: nil)
    + EventStreamText.event("take.edited", id: EventID(epoch: "E", number: 4, edit: 8), data: ["text": "a: b"])
    + EventStreamText.position(EventID(epoch: "E", number: 5, edit: 8))

  @Test(arguments: [1, 2, 7, 1_000]) func readsWhatTheServiceWritesInPiecesOfAnySize(size: Int) throws {
    let bytes = Array(text.utf8)
    var reader = EventStreamReader()
    var blocks: [EventStreamReader.Block] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      blocks += reader.read(bytes[start..<min(bytes.count, start + size)])
    }
    #expect(blocks.map(\.id) == ["E-3-7", "E-4-8", "E-5-8"])
    #expect(blocks.map(\.event) == [nil, "take.edited", nil])
    #expect(blocks[1].data == "{\"text\":\"a: b\"}")
    let id = try #require(blocks[1].id.flatMap { EventID($0) })
    #expect(id.epoch == "E" && id.number == 4 && id.edit == 8)
  }

  @Test func readsSeveralLinesOfDataAsOneAndIgnoresTheUnknown() {
    var reader = EventStreamReader()
    let blocks = reader.read(Array("data: a\ndata:b\nnew: x\nid\n:c\n\n\n\ndata".utf8))
    #expect(blocks == [EventStreamReader.Block(id: "", event: nil, data: "a\nb")])
  }

  @Test(arguments: ["E-1-", "E-1-2-3", "E--1", "E-1-x", "E-1--2", "-1-2"])
  func anIdentifierWithAWrongEditIsNone(text: String) {
    #expect(EventID(text) == nil)
  }
}

extension EventStreamReader.Block {
  fileprivate init(id: String?, event: String?, data: String?) {
    self.init()
    (self.id, self.event, self.data) = (id, event, data)
  }
}
