import Machines

/// A datagram that waits for its time.
struct HeldDatagram: Sendable {
  var bytes: [UInt8]
  var arrival: MonotonicTime
}
