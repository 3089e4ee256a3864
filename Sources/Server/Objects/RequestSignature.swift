import Machines
import Music
import Recording
import Signaling

/// Signs a request to S3 (AWS Signature Version 4, "Authenticating Requests: Using the Authorization Header").
struct RequestSignature {
  let credentials: ObjectCredentials
  let region: String
  let now: WallTime

  private static let algorithm = "AWS4-HMAC-SHA256"

  /// The header fields of a request, with its signature.
  ///
  /// - Parameters:
  ///   - path: escaped, as in the request line.
  ///   - query: not escaped, in any order.
  ///   - headers: those to be signed beside `host`, `x-amz-date`, `x-amz-content-sha256` and the token.
  ///   - bodyHash: SHA-256 of the body.
  func headers(
    _ method: String, host: String, path: String, query: [(String, String)], _ headers: [(String, String)] = [],
    bodyHash: [UInt8]
  ) -> [(String, String)] {
    let hash = Hexadecimal.text(bodyHash)
    var all = headers + [("host", host), ("x-amz-content-sha256", hash), ("x-amz-date", time)]
    if let token = credentials.token { all.append(("x-amz-security-token", token.reveal())) }
    let signed = all.map { (name: $0.0.lowercased(), value: $0.1) }.sorted { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    var lines = [method, path, RequestSignature.text(of: query)]
    lines += signed.map { "\($0.name):\($0.value)" }
    lines += ["", names, hash]
    let canonical = SHA256.hash(Array(lines.joined(separator: "\n").utf8))
    let toSign = [RequestSignature.algorithm, time, scope, Hexadecimal.text(canonical)].joined(separator: "\n")
    let signature = Hexadecimal.text(HMAC.sha256(toSign.utf8, key: key))
    let credential = "\(credentials.identifier)/\(scope)"
    let value = "\(RequestSignature.algorithm) Credential=\(credential),SignedHeaders=\(names),Signature=\(signature)"
    return all + [("authorization", value)]
  }

  /// The query, escaped and in the order of its names.
  static func text(of query: [(String, String)]) -> String {
    query.map { ($0.0.percentEncoded, $0.1.percentEncoded) }
      .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// "20130524T000000Z".
  private var time: String {
    String(now.description.prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
  }

  private var day: String { String(time.prefix(8)) }
  private var scope: String { "\(day)/\(region)/s3/aws4_request" }

  private var key: [UInt8] {
    var key = Array("AWS4\(credentials.secret.reveal())".utf8)
    for word in [day, region, "s3", "aws4_request"] { key = HMAC.sha256(word.utf8, key: key) }
    return key
  }
}

/// Bytes as digits.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Nil for what is not an even number of digits.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).reduce(into: Optional([UInt8]())) { bytes, place in
      let pair = String(decoding: digits[place..<place + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), pair.first != "+" else { return bytes = nil }
      bytes?.append(byte)
    }
  }
}
