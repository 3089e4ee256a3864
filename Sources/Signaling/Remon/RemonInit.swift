import Music

/// The body of `POST /rest/init`.
package struct RemonInit: Hashable, Sendable {
  package var serviceID: String?
  package var key: String?
  /// The conference, if it is for one.
  package var conference: String?
  /// What the app says of its user.
  package var meta: String?

  /// - Throws: `RemonFault` that says what is wrong with the body.
  package init(parsing bytes: [UInt8]) throws(RemonFault) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: bytes)
    } catch {
      throw RemonFault(.general, "the body is not acceptable JSON: \(error.description)")
    }
    guard let object = value.object else {
      throw RemonFault(.general, "the body is \(value.kind); it must be an object with \"credential\"")
    }
    guard let credential = object["credential"]?.object else {
      throw RemonFault(.general, "there is no object \"credential\"; it holds \"serviceId\" and \"key\"")
    }
    serviceID = try RemonFrame.string("serviceId", in: credential)
    key = try RemonFrame.string("key", in: credential)
    conference = try RemonFrame.string("id", in: object).flatMap { $0.isEmpty ? nil : $0 }
    meta = RemonMeta.text(object["userMeta"] ?? object["meta"] ?? credential["userMeta"])
    if let meta, meta.utf8.count > RemonMeta.longest {
      throw RemonFault(.general, "the userMeta has \(meta.utf8.count) bytes; it may have \(RemonMeta.longest)")
    }
  }
}

/// `userMeta`: a text (iOS) or a map (Android), which the app chooses.
package enum RemonMeta {
  /// In bytes.
  package static let longest = 1_024

  /// A string as it stands, anything else as JSON; nil if there is nothing.
  package static func text(_ value: JSONValue?) -> String? {
    switch value {
    case nil, .null, .string(""): nil
    case .string(let text): text
    case let value?: value.text
    }
  }

  /// The musician's name in a `userMeta`: a member of a map, or a short text; Remote Monster itself has no names.
  package static func name(in meta: String?) -> DisplayName? {
    guard let meta else { return nil }
    guard let object = (try? JSONValue(parsing: meta))?.object else {
      return meta.first == "{" || meta.first == "[" ? nil : DisplayName(meta)
    }
    for key in ["name", "userName", "nickname", "displayName", "id"] {
      if let name = object[key]?.string.flatMap({ DisplayName($0) }) { return name }
    }
    return nil
  }
}
