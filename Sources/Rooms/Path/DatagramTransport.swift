/// A way for datagrams between us and one peer.
protocol DatagramTransport: AnyObject {
  /// Sends one datagram; false where it did not leave.
  @discardableResult
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool
  /// Ends it; nothing is delivered afterwards.
  func close()
}

extension PathAgent: DatagramTransport {}
