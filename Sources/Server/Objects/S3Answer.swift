/// What S3's answers contain: XML of a fixed form, of which single texts are wanted.
enum S3Answer {
  /// The text of the first element `name`; nil if there is none.
  static func text(of name: String, in xml: String) -> String? { texts(of: name, in: xml).first }

  /// The texts of all elements `name`, in order.
  static func texts(of name: String, in xml: String) -> [String] {
    var texts: [String] = []
    var rest = Substring(xml)
    while let start = rest.firstRange(of: "<\(name)>") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: "</\(name)>") else { return texts }
      texts.append(plain(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return texts
  }

  /// The text without entities.
  private static func plain(_ text: Substring) -> String {
    guard text.contains("&") else { return String(text) }
    let entities = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&"),
    ]
    return entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
  }

  /// What ends an upload in parts.
  static func completion(of parts: [(tag: String, checksum: String)]) -> String {
    let rows = parts.enumerated().map { number, part in
      "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(escaped(part.tag))</ETag>"
        + "<ChecksumSHA256>\(part.checksum)</ChecksumSHA256></Part>"
    }
    return "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      + rows.joined() + "</CompleteMultipartUpload>"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
