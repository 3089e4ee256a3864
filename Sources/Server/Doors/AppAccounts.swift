import Machines
import Music
import Signaling

/// The accounts of apps made for another service: pairs of a name and a secret, as apps have them built in
/// (ident and secret, or service id and key).
///
/// An account entitles its bearer to a musician's seat: in every room, or in the one that it is bound to.
package struct AppAccounts: Sendable {
  package struct Account: Sendable {
    package let ident: String
    /// All rooms that the account's clients name are this one; nil leaves them their names.
    package let room: RoomName?
    fileprivate let secret: Secret<String>
  }

  /// Shortest secret, in characters.
  private static let shortest = 12

  private let accounts: [Account]

  private let kind: Kind

  /// For which service the apps were made.
  package struct Kind: Sendable {
    let name: String
    /// Where the operator writes them.
    let setting: DoorSetting
  }

  /// None.
  package init(of kind: Kind) {
    (accounts, self.kind) = ([], kind)
  }

  /// Reads `ident:secret` or `ident:secret@room`, separated by commas.
  /// - Throws: `ConfigurationProblem` that names the pair by its number, never by its secret.
  package init(parsing text: String, of kind: Kind) throws(ConfigurationProblem) {
    var accounts: [Account] = []
    for (index, part) in text.split(separator: ",").enumerated() {
      // in range: fewer pairs than bytes
      let place = "pair \(index + 1) of the \(kind.name) accounts"
      let entry = String(part).trimmingBlanks
      guard let colon = entry.firstIndex(of: ":"), colon != entry.startIndex else {
        throw ConfigurationProblem("\(place) is not IDENT:SECRET or IDENT:SECRET@ROOM")
      }
      let ident = String(entry[..<colon])
      var secret = entry[entry.index(after: colon)...]
      var room: RoomName?
      if let at = secret.lastIndex(of: "@") {
        let name = String(secret[secret.index(after: at)...])
        do throws(NameError) {
          room = try RoomName(checking: name)
        } catch {
          throw ConfigurationProblem("\(place): \(error.description)")
        }
        secret = secret[..<at]
      }
      guard secret.utf8.count >= AppAccounts.shortest, secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw ConfigurationProblem(
          "the secret of \(place) is invalid; it must have \(AppAccounts.shortest) printable ASCII characters or more"
        )
      }
      guard !accounts.contains(where: { $0.ident == ident }) else {
        throw ConfigurationProblem("\(place) has an ident that another pair has")
      }
      accounts.append(Account(ident: ident, room: room, secret: Secret(String(secret))))
    }
    (self.accounts, self.kind) = (accounts, kind)
  }

  var isEmpty: Bool { accounts.isEmpty }

  /// True if there is an account of this name.
  func has(_ ident: String) -> Bool { accounts.contains { $0.ident == ident } }

  /// The account of a pair; always compares with all of them.
  /// - Parameter isOpen: the service needs no keys; without accounts, any pair is right then.
  /// - Throws: `RoomRefusal` `.unauthorized`.
  func account(_ ident: String?, _ secret: String?, isOpen: Bool) throws(RoomRefusal) -> Account {
    if accounts.isEmpty {
      guard isOpen else {
        throw RoomRefusal(
          .unauthorized, "this service has no \(kind.name) accounts; its operator sets them in \(kind.setting.variable)"
        )
      }
      return Account(ident: ident ?? "", room: nil, secret: Secret(""))
    }
    let ident = ident ?? ""
    let secret = secret ?? ""
    var found: Account?
    for account in accounts {
      let isSame = ConstantTime.equal(secret, account.secret.reveal())
      if isSame, account.ident == ident { found = account }
    }
    guard let found else { throw RoomRefusal(.unauthorized, "Unauthorized: name and secret are of no account here") }
    return found
  }
}

extension String {
  /// Without blanks at its ends.
  fileprivate var trimmingBlanks: String {
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
