import ArgumentParser
import Catalog
import Foundation
import Library

/// The location of the takes: a local data folder, with or without a service running on it, or a service.
struct TakeShelfOptions: ParsableArguments {
  @Option(name: .long, help: "Data folder with the takes and the index. (default: JAMJAR_DATA, or Recordings)")
  var data: String?
  @Option(
    name: .long, help: "PostgreSQL with the index, if it is there. (default: JAMJAR_CATALOG, or a file in --data)")
  var catalog: String?
  @Option(name: .long, help: "Use the service at this URL instead, over REST. (default: JAMJAR_SERVER)")
  var server: String?
  @Option(name: .long, help: "API key for that service. (default: JAMJAR_TOKEN, which other users cannot read)")
  var token: String?
  @OptionGroup var trust: TrustOptions

  func validate() throws {
    if data != nil || catalog != nil, server != nil {
      throw ValidationError("--data and --server exclude each other; give one of them")
    }
  }

  /// The data folder: from --data, JAMJAR_DATA, the settings file, or the default of `jamjar serve`.
  var folder: String {
    get async throws {
      if let data { return data }
      var reader = try await SettingsReader(try SettingsOptions.parse([]))
      return reader.text(.data) ?? "Recordings"
    }
  }

  /// The index of the data folder: from --catalog, JAMJAR_CATALOG, the settings file, or the file in the folder.
  /// - Throws: `CatalogError.value` for what is no address.
  var place: CatalogPlace {
    get async throws {
      var reader = try await SettingsReader(try SettingsOptions.parse([]))
      return try CatalogPlace(catalog ?? reader.text(.catalog), data: try await folder)
    }
  }

  /// The named service; nil to use the data folder. --data overrides JAMJAR_SERVER.
  /// - Throws: `CommandFailure` if the address or the file of --ca-file is invalid.
  var address: ServerAddress? {
    get throws(CommandFailure) {
      guard data == nil, catalog == nil else { return nil }
      if let server { return try trust.applied(to: try ServerAddress(server, field: "--server")) }
      guard let server = ProcessInfo.processInfo.environment["JAMJAR_SERVER"], !server.isEmpty else { return nil }
      return try trust.applied(to: try ServerAddress(server, field: "JAMJAR_SERVER"))
    }
  }

  /// The given API key, if any.
  var key: String? {
    let key = token ?? ProcessInfo.processInfo.environment["JAMJAR_TOKEN"]
    return key?.isEmpty == false ? key : nil
  }

  /// The song book of the data folder or service.
  /// - Parameter forReadingOnly: false for commands that edit.
  /// - Throws: `CommandFailure`, `LibraryError.inUse`, `CatalogError`, `FileProblem`.
  func book(forReadingOnly: Bool = true) async throws -> any SongBook {
    if let address = try address { return RemoteBook(try RemoteSource(address, key: key)) }
    let shelf = try await TakeShelf(self, forReadingOnly: forReadingOnly)
    return LocalBook(shelf, library: forReadingOnly ? nil : try Library(recordings: shelf.data, index: shelf.index))
  }

  /// Opens the data folder or service.
  /// - Throws: `CommandFailure`, `CatalogError`.
  func source(forReadingOnly: Bool = true) async throws -> any TakeSource {
    if let address = try address { return try RemoteSource(address, key: key) }
    return LocalSource(try await TakeShelf(self, forReadingOnly: forReadingOnly))
  }
}
