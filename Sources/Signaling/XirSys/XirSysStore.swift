/// The small store of version 3 (`_data`): values by channel and key, with versions. It is kept in memory only.
package struct XirSysStore: Sendable {
  private struct Entry {
    /// As JSON, which takes less memory than the value.
    var bytes: [UInt8]
    var version: Int64
  }

  private struct Place: Hashable {
    var channel: String
    var key: String
  }

  /// Most values of one account's channels together.
  private static let most = 256
  /// Most bytes of a value as JSON, of a key, and of a channel's name.
  private static let mostBytes = 16_384
  private static let mostKeyBytes = 256
  private static let mostChannelBytes = 512

  private var entries: [Place: Entry] = [:]

  package init() {}

  package func keys(of channel: String) -> [String] {
    entries.keys.filter { $0.channel == channel }.map(\.key).sorted()
  }

  /// The reply to a GET: the value with its version.
  package func read(_ key: String, in channel: String) -> JSONValue {
    guard let entry = entries[Place(channel: channel, key: key)] else { return XirSysReply.error(.notFound) }
    return XirSysReply.ok(describe(entry))
  }

  /// - Parameter version: that of the value that is to be replaced (`_ver_`); nil replaces any.
  package mutating func write(
    _ value: JSONValue, to key: String, in channel: String, version: Int64?
  ) -> JSONValue {
    let place = Place(channel: channel, key: key)
    let former = entries[place]
    guard !key.isEmpty, key.utf8.count <= XirSysStore.mostKeyBytes, channel.utf8.count <= XirSysStore.mostChannelBytes
    else { return XirSysReply.error(.badName) }
    let bytes = value.bytes
    guard bytes.count <= XirSysStore.mostBytes, former != nil || entries.count < XirSysStore.most else {
      return XirSysReply.error(.locked)
    }
    if let version, version != former?.version ?? 0 { return XirSysReply.error(.versionConflict) }
    let entry = Entry(bytes: bytes, version: (former?.version ?? 0) &+ 1)
    entries[place] = entry
    return XirSysReply.ok(describe(entry))
  }

  package mutating func remove(_ key: String, in channel: String) -> JSONValue {
    guard entries.removeValue(forKey: Place(channel: channel, key: key)) != nil else {
      return XirSysReply.error(.notFound)
    }
    return XirSysReply.ok(1)
  }

  private func describe(_ entry: Entry) -> JSONValue {
    let value = (try? JSONValue(parsing: entry.bytes)) ?? .null
    if case .object(var object) = value {
      object["_ver_"] = .integer(entry.version)
      return .object(object)
    }
    return ["v": value, "_ver_": .integer(entry.version)]
  }
}
