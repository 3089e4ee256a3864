/// A playlist of HTTP Live Streaming (RFC 8216): either the variants of a stream, or the segments of one.
package enum HLSPlaylist: Hashable, Sendable {
  case variants(HLSVariants)
  case segments(HLSSegments)

  /// Why a playlist cannot be used.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package var description: String
  }

  /// Longest playlist, in bytes, and most of its lines.
  package static let longest = 1 << 20
  private static let maximumLines = 50_000

  /// - Throws: `Fault` that says what is wrong, or what is used there and is not supported.
  package init(_ text: String) throws(Fault) {
    guard text.utf8.count <= HLSPlaylist.longest else {
      throw Fault(description: "the playlist has more than \(HLSPlaylist.longest >> 20) MiB")
    }
    let lines = text.split(maxSplits: HLSPlaylist.maximumLines, whereSeparator: \.isNewline).map(HLSLine.init)
    guard lines.count <= HLSPlaylist.maximumLines else { throw Fault(description: "the playlist is too long") }
    guard case .tag("#EXTM3U", _)? = lines.first else {
      throw Fault(description: "that is no playlist of HLS: it does not begin with #EXTM3U")
    }
    let isMaster = lines.contains { line in
      if case .tag("#EXT-X-STREAM-INF", _) = line { true } else { false }
    }
    self = isMaster ? .variants(try HLSVariants(lines)) : .segments(try HLSSegments(lines))
  }
}

/// A line of a playlist that is not empty.
enum HLSLine: Hashable {
  /// `name` with its #; `value` behind the colon, or empty.
  case tag(String, value: String)
  case address(String)
  case comment

  init(_ line: Substring) {
    // A mark of the byte order is read over (RFC 8216 section 4.1 forbids it; servers send it).
    var text = line
    if text.first == "\u{FEFF}" { text = text.dropFirst() }
    guard text.first == "#" else {
      self = .address(String(text))
      return
    }
    guard text.hasPrefix("#EXT") else {
      self = .comment
      return
    }
    let name = text.prefix { $0 != ":" }
    self = .tag(String(name), value: String(text.dropFirst(name.count).dropFirst()))
  }

  /// The attributes of a tag (RFC 8216 section 4.2), without quotes.
  static func attributes(_ value: String) -> [String: String] {
    var found: [String: String] = [:]
    var rest = value[...]
    while !rest.isEmpty {
      let name = rest.prefix { $0 != "=" && $0 != "," }
      rest = rest.dropFirst(name.count)
      guard rest.first == "=" else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst()
      let text: Substring
      if rest.first == "\"" {
        rest = rest.dropFirst()
        text = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(text.count).drop { $0 != "," }.dropFirst()
      } else {
        text = rest.prefix { $0 != "," }
        rest = rest.dropFirst(text.count).dropFirst()
      }
      found[name.filter { $0 != " " }] = String(text)
    }
    return found
  }
}

/// The variants of a stream: the same in several qualities.
package struct HLSVariants: Hashable, Sendable {
  private struct Variant: Hashable {
    var address: String
    var bandwidth: Int64
    var isSoundOnly: Bool
    /// The group of renditions with its sound.
    var group: String?
  }

  /// The playlist to be heard: the sound alone and in the best quality if the server has it so, otherwise the variant
  /// with the least video, since all have the same sound as a rule.
  package let address: String

  init(_ lines: [HLSLine]) throws(HLSPlaylist.Fault) {
    var variants: [Variant] = []
    var renditions: [String: String] = [:]
    var next: [String: String]?
    for line in lines {
      switch line {
      case .tag("#EXT-X-STREAM-INF", let value): next = HLSLine.attributes(value)
      case .tag("#EXT-X-MEDIA", let value):
        let media = HLSLine.attributes(value)
        guard media["TYPE"] == "AUDIO", let group = media["GROUP-ID"], let address = media["URI"] else { continue }
        if renditions[group] == nil || media["DEFAULT"] == "YES" { renditions[group] = address }
      case .address(let address):
        guard let attributes = next else { continue }
        next = nil
        let codecs = (attributes["CODECS"] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        variants.append(
          Variant(
            address: address, bandwidth: attributes["BANDWIDTH"].flatMap { Int64($0) } ?? 0,
            isSoundOnly: !codecs.isEmpty && codecs.allSatisfy(HLSVariants.isSound), group: attributes["AUDIO"]))
      case .tag, .comment: break
      }
    }
    let best = variants.max { $0.bandwidth < $1.bandwidth }
    if let group = best?.group, let address = renditions[group] {
      self.address = address
    } else if let sound = variants.filter(\.isSoundOnly).max(by: { $0.bandwidth < $1.bandwidth }) {
      address = sound.address
    } else if let least = variants.min(by: { $0.bandwidth < $1.bandwidth }) {
      address = least.address
    } else {
      throw HLSPlaylist.Fault(description: "the playlist names no variant")
    }
  }

  private static func isSound(_ codec: Substring) -> Bool {
    ["mp4a", "opus", "Opus", "fLaC", "flac", "ac-3", "ec-3", "mp3"].contains { codec.hasPrefix($0) }
  }
}
