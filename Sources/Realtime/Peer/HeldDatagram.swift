import Machines

/// A datagram that waits for its time.
package struct HeldDatagram: Sendable {
  package var bytes: [UInt8]
  package var arrival: MonotonicTime
}
