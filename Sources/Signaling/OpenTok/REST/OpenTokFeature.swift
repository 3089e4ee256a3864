/// What the vendor's projects may have and those here have not: answered clearly, nothing is begun.
package enum OpenTokFeature: String, Hashable, Sendable, CaseIterable {
  case sip, dtmf, captions, render

  private var words: String {
    switch self {
    case .sip: "SIP dial"
    case .dtmf: "DTMF"
    case .captions: "captions"
    case .render: "Experience Composer"
    }
  }

  /// 400: SDKs make an error of the feature of it, where 403 would be one of the key.
  package var refusal: OpenTokRefusal {
    .badRequest("Feature not enabled: this service has no \(words)")
  }

  /// Things of this kind that are asked for by an id: there are none.
  package var unknown: OpenTokRefusal {
    .notFound("Not found: there are none of these, since this service has no \(words)")
  }
}
