import Foundation
import GRDB
import Music

/// A table that both engines have, for carrying its rows over; what is found by search is made anew.
struct CatalogTable {
  enum Kind {
    case integer, real, text, id
  }

  struct Column {
    var name: String
    var kind: Kind

    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
  }

  let name: String
  let columns: [Column]
  let order: String

  private init(_ name: String, _ columns: String, order: String) {
    let kinds: [Character: Kind] = ["#": .integer, "~": .real, "@": .id]
    self.name = name
    self.order = order
    self.columns = columns.split(separator: " ").map { word in
      guard let mark = word.first, let kind = kinds[mark] else { return Column(String(word), .text) }
      return Column(String(word.dropFirst()), kind)
    }
  }

  /// In the order of their references. #: an integer, ~: a number, @: an identifier, else a text.
  static let all = [
    CatalogTable("rooms", "#key name", order: "key"),
    CatalogTable("sessions", "#key @id #room #started_at #ended_at", order: "key"),
    CatalogTable(
      "songs", "#key @id title folded_title composers musical_key tempo notes #revision #is_filed", order: "key"),
    // Persons before those who were merged into them.
    CatalogTable(
      "participants", "#key @id name #named_at given_name folded_name #merged_into #revision",
      order: "merged_into IS NOT NULL, key"),
    CatalogTable("participant_names", "#participant name", order: "participant, name"),
    CatalogTable("tags", "#key folded", order: "key"),
    CatalogTable(
      "takes",
      """
      #key @id #number state #room #session #song #started_at #ended_at #length #track_count folder title #rating \
      #is_favourite notes tags ~loudness #deleted_at #revision #place
      """, order: "key"),
    CatalogTable(
      "tracks",
      """
      #key @id #take #number #participant name part #channels #length file ~peak ~loudness alignment_basis \
      ~alignment_drift ~alignment_offset ~alignment_error_bound #alignment_expected_packets \
      #alignment_recovered_packets #alignment_lost_packets #alignment_concealed_samples alignment_unknown \
      alignment_unseen_drops alignment_talks meta
      """, order: "key"),
    CatalogTable("gaps", "#track #number #start #length cause #is_concealed", order: "track, number"),
    CatalogTable("bounds", "#track #number #start #end ~error_bound unknown basis", order: "track, number"),
    CatalogTable("cues", "#key @id #take #position text @author @share commenter #is_hidden", order: "key"),
    CatalogTable("files", "#take name role @track #size digest_method digest", order: "take, name"),
  ]

  var hasKey: Bool { columns.first?.name == "key" }

  /// Quoted, as "end" has to be.
  private var names: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

  var select: String { "SELECT \(names) FROM \(name) ORDER BY \(order)" }

  /// - Parameter place: the mark of a value, by its number from 1.
  func insert(_ place: (Int) -> String) -> String {
    "INSERT INTO \(name) (\(names)) VALUES (\((1...max(1, columns.count)).map(place).joined(separator: ", ")))"
  }
}

extension CatalogTable.Column {
  /// A value of SQLite as PostgreSQL wants it.
  /// - Throws: `CatalogError.unreadable` for a value of another kind.
  func value(_ value: DatabaseValue) throws -> (any PostgreSQLValue)? {
    if value.isNull { return nil }
    let found: (any PostgreSQLValue)? =
      switch kind {
      case .integer: Int64.fromDatabaseValue(value)
      case .real: Double.fromDatabaseValue(value)
      case .text: String.fromDatabaseValue(value)
      case .id: TakeID.fromDatabaseValue(value)
      }
    guard let found else { throw CatalogError.unreadable(name) }
    return found
  }

  /// A value of PostgreSQL as SQLite wants it.
  /// - Throws: `CatalogError.unreadable` for a value of another kind.
  func value(_ row: PostgreSQLRow, _ column: Int32) throws -> DatabaseValue {
    if row.isNull(column) { return .null }
    let found: DatabaseValue? =
      switch kind {
      case .integer: row.integer(column)?.databaseValue
      case .real: row.number(column)?.databaseValue
      case .text: row.text(column)?.databaseValue
      case .id: row.ulid(column).map { TakeID($0).databaseValue }
      }
    guard let found else { throw CatalogError.unreadable(name) }
    return found
  }
}
