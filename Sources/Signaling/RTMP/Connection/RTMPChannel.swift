/// The chunk stream that a message goes on: none above 63, because the iOS library can't read longer headers.
enum RTMPChannel {
  static let control: UInt8 = 2
  /// Commands and shared objects.
  static let command: UInt8 = 3
  static let audio: UInt8 = 4
  /// Status and data of streams.
  static let stream: UInt8 = 5
}
