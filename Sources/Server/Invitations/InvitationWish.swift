import Music
import Recording
import Signaling

/// What new invitations are to be, from the members of a body.
struct InvitationWish: Sendable {
  static let fields = ["names", "role", "days"]
  /// Most invitations of one request.
  static let mostNames = 50
  /// The longest life is that of every token, so that a revocation outlives it.
  static let days: ClosedRange<Int64> = 1...366

  /// One invitation each; nil leaves the name free.
  let names: [DisplayName?]
  let role: Authority
  let days: Int64

  init(_ fields: BodyFields) throws(Problem) {
    names = try InvitationWish.names(fields)
    let words = Dictionary(Authority.inTokens.map { ($0.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
    role = fields.value("role") == nil ? .musician : try fields.word("role", among: words)
    days = try fields.optionalInteger("days", in: InvitationWish.days) ?? 7
  }

  private static func names(_ fields: BodyFields) throws(Problem) -> [DisplayName?] {
    guard let texts = try fields.optionalStrings("names"), !texts.isEmpty else { return [nil] }
    guard texts.count <= mostNames else {
      throw Problem.invalid("names", value: nil, "\"names\" may have \(mostNames) names; ask again for more")
    }
    var names: [DisplayName] = []
    for text in texts {
      do throws(NameError) {
        names.append(try DisplayName(checking: text))
      } catch {
        throw Problem.invalid("names", value: text, error.description)
      }
      // Both would be one musician.
      guard Set(names.map(\.description.foldedName)).count == names.count else {
        throw Problem.invalid("names", value: text, "\"names\" has \"\(text.prefix(64))\" twice; name everybody once")
      }
    }
    return names
  }

  /// - Parameter latest: the end of what the inviter came in by; nil if that has none.
  func invitations(
    to room: RoomName, signedBy tokens: JoinTokens, at now: WallTime, until latest: WallTime?
  ) -> [Invitation] {
    let wanted = now + .seconds(Double(days) * 86_400)
    return names.map { name in
      Invitation(
        id: JoinTokens.newID(), room: room, name: name, role: role, createdAt: now,
        expiresAt: latest.map { min($0, wanted) } ?? wanted, signer: tokens.mark)
    }
  }
}
