import Testing

@testable import Signaling

/// The identifiers of texts that are refused before they are parsed, or while they are.
@Suite struct JSONRPCIdentifierTests {
  @Test(
    arguments: [
      (#"{"id":7}"#, 7), (#"{"jsonrpc":"2.0","id":0,"method":"m"}"#, 0), (#"{"id":"42"}"#, 42), (#"{"id":-1}"#, -1),
      (#" { "params" : { "id" : 1, "a" : [ "id", { "id": 2 } ] } , "id" : 7.0 } "#, 7),
      (#"{"params":{"a":"}{\"id\":9,"},"id":3}"#, 3), (#"{"a":"id","id":5}"#, 5), (#"{"a\"id":1,"id":6}"#, 6),
      (#"{"id":9223372036854775807,"x":"\ud800"}"#, .max), (#"{"a":1e999,"id":8}"#, 8),
    ] as [(String, Int64)])
  func isFoundInTheOutermostObject(text: String, expected: Int64) {
    #expect(JSONRPCID(scanning: text) == JSONRPCID(expected))
  }

  @Test(arguments: [
    "", "{", "7", "null", "[]", #"[{"id":1}]"#, "{}", #"{"id":null}"#, #"{"id":true}"#, #"{"id":{"id":1}}"#,
    #"{"id":[1]}"#, #"{"id":1.5}"#, #"{"id":"x"}"#, #"{"id":1,"id":2}"#, #"{"id":9223372036854775808}"#,
    #"{"id":1"#.dropLast().description, #"{"params":{"id":1}}"#, #"{"a":"id"#, #"{"id":-}"#, #"{"id":"7"#, #""id":7"#,
    #"{"\"#,
  ])
  func isNotGuessed(text: String) {
    #expect(JSONRPCID(scanning: text) == nil)
  }

  @Test(
    arguments: [
      ("\"" + String(repeating: "x", count: 131_073) + "\"", -32_700),
      (String(repeating: "[", count: 99) + String(repeating: "]", count: 99), -32_700),
      ("[" + String(repeating: "0,", count: 20_000) + "0]", -32_700), (#""\ud800""#, -32_700), ("\"\u{1}\"", -32_700),
      (#""\x""#, -32_700), (#"{"a":1,"a":2}"#, -32_700), ("1e999", -32_700), ("[]", -32_602), ("7", -32_602),
    ] as [(String, Int64)])
  func everyReadableRequestIsAnsweredUnderItsOwn(parameters: String, code: Int64) throws {
    var rig = KurentoRig()
    for text in [
      #"{"jsonrpc":"2.0","id":5,"method":"joinRoom","params":"# + parameters + "}",
      #"{"params":"# + parameters + #","method":"joinRoom","id":5}"#,
    ] {
      let answer = try #require(rig.say(text).answers.first)
      #expect(answer["id"] == 5)
      #expect(answer["error"]?.object?["code"]?.integer == code, "\(text.prefix(80))")
    }
  }
}
