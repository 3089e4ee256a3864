import HTTPTypes
import Machines
import Music
import Signaling

/// The cookie of a visitor who gave a link's password: until when it holds, sealed with the password's hash.
///
/// So it survives a restart, ends with the link or its password, and opens nothing else. It is sent to this link's
/// addresses only.
struct SharePass {
  static let name = "jamjar-share"
  /// How long a password need not be repeated, in seconds: a day.
  private static let lifetime: Int64 = 86_400

  let share: Share
  let password: PasswordHash

  /// Nil for a link without a password.
  init?(_ share: Share) {
    guard let password = share.password else { return nil }
    (self.share, self.password) = (share, password)
  }

  /// The value of Set-Cookie (RFC 6265 section 4.1).
  ///
  /// - Parameter path: the link's address, "/s/…".
  func field(at now: WallTime, path: String, isSecure: Bool) -> String {
    let end = "\(now.seconds &+ SharePass.lifetime)"
    return "\(SharePass.name)=\(end).\(seal(end)); Max-Age=\(SharePass.lifetime); Path=\(path); HttpOnly; "
      + "SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// True if the request has a pass for this link that holds.
  func isIn(_ request: HTTPRequest, at now: WallTime) -> Bool {
    let pairs = request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
    return pairs.map { String($0).trimmed }.contains { pair in
      guard pair.hasPrefix(SharePass.name + "=") else { return false }
      let parts = pair.dropFirst(SharePass.name.count + 1).split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let end = Int64(parts[0]), end > now.seconds else { return false }
      return ConstantTime.equal(String(parts[1]), seal("\(end)"))
    }
  }

  private func seal(_ end: String) -> String {
    Base64.url.encode(HMAC.sha256("\(share.id);\(end)".utf8, key: password.hash))
  }
}
