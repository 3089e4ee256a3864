import Music

/// A call of XirSys' REST interface, version 2, in either of its two families of names.
package enum XirSysCall: Hashable, Sendable {
  case token
  case iceServers
  /// The address of the sockets.
  case sockets
  case list(XirSysPlace)
  case create(XirSysPlace)
  case remove(XirSysPlace)

  /// The call of a path (`getToken`, `signal/token`, …) and a method; nil if there is none.
  ///
  /// The newer names take GET and POST alike where nothing is created.
  package init?(path: String, method: String) {
    switch (path, method) {
    case ("getToken", "POST"), ("signal/token", "GET"), ("signal/token", "POST"): self = .token
    case ("getIceServers", "POST"), ("ice", "GET"), ("ice", "POST"): self = .iceServers
    case ("wsList", "POST"), ("wsList", "GET"), ("signal/list", "GET"), ("signal/list", "POST"): self = .sockets
    case ("addDomain", "POST"), ("domain", "POST"): self = .create(.domain)
    case ("addApplication", "POST"), ("application", "POST"): self = .create(.application)
    case ("addRoom", "POST"), ("room", "POST"): self = .create(.room)
    case ("domain", "GET"): self = .list(.domain)
    case ("application", "GET"): self = .list(.application)
    case ("room", "GET"): self = .list(.room)
    case ("domain", "DELETE"): self = .remove(.domain)
    case ("application", "DELETE"): self = .remove(.application)
    case ("room", "DELETE"): self = .remove(.room)
    default: return nil
    }
  }

  /// Every path of version 2 with its methods, without a slash at the beginning.
  package static let paths: [(path: String, methods: [String])] = [
    ("getToken", ["POST"]), ("getIceServers", ["POST"]), ("wsList", ["GET", "POST"]), ("addDomain", ["POST"]),
    ("addApplication", ["POST"]), ("addRoom", ["POST"]), ("signal/token", ["GET", "POST"]),
    ("signal/list", ["GET", "POST"]), ("ice", ["GET", "POST"]), ("domain", ["GET", "POST", "DELETE"]),
    ("application", ["GET", "POST", "DELETE"]),
  ]
}

/// A level of XirSys' tree of rooms.
package enum XirSysPlace: String, Hashable, Sendable {
  case domain, application, room
}

/// Replies of the REST interface.
package enum XirSysReply {
  /// Version 2: `{s, e, d}`.
  package static func success(_ payload: JSONValue) -> JSONValue {
    ["s": 200, "e": .null, "d": payload]
  }

  /// Version 2: every status from 300 on is an error to clients.
  package static func failure(_ status: Int64, _ sentence: String) -> JSONValue {
    ["s": .integer(status), "e": .string(sentence), "d": .null]
  }

  /// Version 3: `{s, v}`.
  package static func ok(_ value: JSONValue) -> JSONValue { ["s": "ok", "v": value] }

  package static func error(_ word: Word) -> JSONValue { ["s": "error", "v": .string(word.rawValue)] }

  /// The words of version 3 for what went wrong.
  package enum Word: String, Hashable, Sendable, CaseIterable {
    case unauthorized, locked, internalError = "internal"
    case noNamespace = "no_namespace"
    case pathExists = "path_exists"
    case notFound = "not_found"
    case versionConflict = "version_conflict"
    case badName = "bad_name"
  }

  /// Servers as version 2 lists them: each entry has one address.
  package static func iceServers(_ servers: [ICEServer]) -> JSONValue {
    let entries = servers.flatMap { server in
      server.urls.map { url in
        var entry: JSONObject = ["url": .string(url)]
        if let username = server.username { entry["username"] = .string(username) }
        if let credential = server.credential { entry["credential"] = .string(credential) }
        return JSONValue.object(entry)
      }
    }
    return ["iceServers": .array(entries)]
  }

  /// Servers as version 3 lists them: each entry has a list of addresses.
  package static func iceServersByURLs(_ servers: [ICEServer]) -> JSONValue {
    let entries = servers.map { server in
      var entry: JSONObject = ["urls": .array(server.urls.map { .string($0) })]
      if let username = server.username { entry["username"] = .string(username) }
      if let credential = server.credential { entry["credential"] = .string(credential) }
      return JSONValue.object(entry)
    }
    return ["iceServers": .array(entries)]
  }
}

extension RoomRefusal {
  /// The status of version 2.
  package var xirsysStatus: Int64 {
    switch code {
    case .unauthorized: 401
    case .forbidden, .roomFull: 403
    case .nameTaken, .alreadyJoined: 409
    case .invalidName, .malformed, .invalidText: 400
    case .rateLimited: 429
    case .unavailable, .storage: 503
    default: 500
    }
  }

  /// The word of version 3.
  package var xirsysWord: XirSysReply.Word {
    switch code {
    case .unauthorized, .forbidden: .unauthorized
    case .roomFull, .rateLimited: .locked
    case .nameTaken, .alreadyJoined: .pathExists
    case .invalidName, .malformed, .invalidText: .badName
    default: .internalError
    }
  }
}
