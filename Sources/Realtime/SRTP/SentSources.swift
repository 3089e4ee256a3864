/// How far each of our own sources has got. None is ever forgotten: if a source began anew, its next packets would be
/// encrypted with key stream that was used before (RFC 3711 section 9.1). There are a few of them.
struct SentSources {
  struct Source {
    let ssrc: UInt32
    /// The highest index of its RTP packets; nil before the first.
    var highest: Int64?
    /// The index of its last RTCP compound; 0 before the first, which has 1, as it does with libsrtp.
    var report: UInt32 = 0
  }

  private var sources: [Source] = []
  /// Where the last one was found, which is mostly the next one.
  private var latest = 0

  init() {}

  /// The account of a source, which is begun if there is none.
  subscript(ssrc: UInt32) -> Source {
    mutating get { sources[place(ssrc)] }
    set { sources[place(ssrc)] = newValue }
  }

  private mutating func place(_ ssrc: UInt32) -> Int {
    if latest < sources.count, sources[latest].ssrc == ssrc { return latest }
    latest = sources.firstIndex { $0.ssrc == ssrc } ?? sources.count
    if latest == sources.count { sources.append(Source(ssrc: ssrc)) }
    return latest
  }
}
