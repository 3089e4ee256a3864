extension RoomRefusal {
  var json: JSONObject {
    ["code": .string(code.rawValue), "message": .string(description)]
  }

  init(_ fields: NativeFields) throws(RoomRefusal) {
    self.init(try fields.word("code", among: Code.allCases), try fields.string("message"))
  }

  /// The refusal of an unreadable text.
  init(_ error: JSONError) {
    self.init(error.isLimit ? .tooLarge : .malformed, "the message is no JSON that is taken here: \(error)")
  }
}
