/// The transport of a peer that nobody can be answered on: reports and requests for what is missing lead nowhere.
final class SilentTransport: DatagramTransport {
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool { false }
  func close() {}
}
