/// What carries a musician's packets to the recorder, and the recorder's reports back. Used from one thread.
protocol MusicianWire: AnyObject {
  /// Readable where something has come.
  var descriptor: Int32 { get }

  /// An RTP packet or an RTCP compound in the form in which it travels; nil where it must not.
  func seal(_ bytes: [UInt8], isReport: Bool) -> [UInt8]?

  /// Hands the recorder what `seal` returned; true where the kernel took it.
  func deliver(_ bytes: [UInt8]) -> Bool

  /// Returns the recorder's next RTCP compound or check; nil if none has come.
  func hear() -> [UInt8]?

  /// The answer to a check of the recorder, as it travels; nil for anything else.
  func answer(toCheck bytes: [UInt8]) -> [UInt8]?

  /// A socket of somebody else to the same port.
  func stranger() throws -> LoopbackSocket
}

/// Plain RTP and RTCP on one port.
extension LoopbackSocket: MusicianWire {
  func seal(_ bytes: [UInt8], isReport: Bool) -> [UInt8]? { bytes }
  func deliver(_ bytes: [UInt8]) -> Bool { send(bytes) }
  func hear() -> [UInt8]? { receive() }
  func answer(toCheck bytes: [UInt8]) -> [UInt8]? { nil }
}
