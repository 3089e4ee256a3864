import Realtime

/// Descriptions as tests write them, and small changes to them.
enum SDPText {
  /// The text with CR LF after every line, the last included.
  static func wire(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0 + "\r\n" }.joined()
  }

  /// The text without the lines that begin so.
  static func without(_ prefixes: String..., in text: String) -> String {
    lines(of: text).filter { line in !prefixes.contains { line.hasPrefix($0) } }.map { $0 + "\r\n" }.joined()
  }

  /// The text with every line that begins so replaced by another.
  static func replacing(_ prefix: String, with line: String, in text: String) -> String {
    lines(of: text).map { ($0.hasPrefix(prefix) ? line : $0) + "\r\n" }.joined()
  }

  /// The lines, without their ends.
  static func lines(of text: String) -> [String] {
    text.unicodeScalars.split { $0 == "\r" || $0 == "\n" }.map { String($0) }
  }

  static let transport = LocalTransport(
    credentials: NegotiatedSession.ICECredentials(usernameFragment: "jamj", password: "0123456789abcdefghijklmn"),
    fingerprint: Fingerprint(algorithm: .sha256, digest: Array(0..<32)),
    candidates: ["a=candidate:1 1 UDP 2015363327 192.0.2.2 40000 typ host"])

  /// Every description of the fixtures, by name.
  static let fixtures: [(name: String, text: String)] = [
    ("Chromium publication", ChromiumDescriptions.publication),
    ("Chromium subscription", ChromiumDescriptions.subscription),
    ("Chromium answer that sends", ChromiumDescriptions.answerThatSends),
    ("Chromium answer that receives", ChromiumDescriptions.answerThatReceives),
    ("Chromium conference", ChromiumConferenceOffer.text), ("Firefox", BrowserDescriptions.firefox),
    ("Safari", BrowserDescriptions.safari), ("aiortc offer", NativeDescriptions.aiortcOffer),
    ("aiortc answer that sends", NativeDescriptions.aiortcAnswerThatSends),
    ("aiortc answer that receives", NativeDescriptions.aiortcAnswerThatReceives),
    ("GStreamer", NativeDescriptions.gstreamer),
  ]

  /// Answers an offer as the server does for a publication, unless told otherwise.
  static func answer(
    _ offer: String, role: Negotiation.Role = .receiveFromPeer, preferences: AudioPreferences = AudioPreferences(),
    keeping dtlsRole: NegotiatedSession.DTLSRole? = nil
  ) throws -> (answer: SessionDescription, session: NegotiatedSession) {
    try Negotiation.answer(
      to: SessionDescription(parsing: offer), role: role, transport: transport, preferences: preferences,
      ssrc: role == .sendToPeer ? 1_234 : nil, cname: "jamjar", sessionID: 42, dtlsRole: dtlsRole)
  }
}
