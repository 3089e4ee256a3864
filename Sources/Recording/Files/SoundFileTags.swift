import CSndFile

/// What a sound file says about itself; empty values are left out.
package struct SoundFileTags: Hashable, Sendable {
  package var title: String
  package var artist: String
  package var album: String
  package var trackNumber: Int?
  package var comment: String
  /// RFC 3339 date, "2026-11-21".
  package var date: String
  package var software: String

  package init(
    title: String = "", artist: String = "", album: String = "", trackNumber: Int? = nil, comment: String = "",
    date: String = "", software: String = ""
  ) {
    self.title = title
    self.artist = artist
    self.album = album
    self.trackNumber = trackNumber
    self.comment = comment
    self.date = date
    self.software = software
  }

  /// libsndfile's number for each tag that there is; NUL would end a text early and is taken out.
  var strings: [(code: Int32, text: String)] {
    let all: [(Int32, String)] = [
      (Int32(SF_STR_TITLE), title), (Int32(SF_STR_ARTIST), artist), (Int32(SF_STR_ALBUM), album),
      (Int32(SF_STR_TRACKNUMBER), trackNumber.map(String.init) ?? ""), (Int32(SF_STR_COMMENT), comment),
      (Int32(SF_STR_DATE), date), (Int32(SF_STR_SOFTWARE), software),
    ]
    return all.map { ($0.0, $0.1.replacing("\0", with: "")) }.filter { !$0.1.isEmpty }
  }
}
