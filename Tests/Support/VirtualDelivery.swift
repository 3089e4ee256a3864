/// What came through a virtual network, and what it took.
package struct VirtualDelivery: Sendable {
  /// One datagram's arrival at the recorder.
  package struct Arrival: Hashable, Sendable {
    /// Which of the packets that were sent.
    package var packet: Int
    /// In seconds.
    package var time: Double
    /// True where it was sent again.
    package var isRepair: Bool
  }

  /// Everything is counted as it leaves, whether it arrives or not; bytes are those on the wire.
  package struct Counts: Hashable, Sendable {
    package var media = 0
    package var mediaBytes = 0
    package var retransmissions = 0
    package var retransmittedBytes = 0
    package var nackPackets = 0
    package var nackBytes = 0
    /// Requests that the sender refused: too old, or answered less than a round trip ago.
    package var refusedRequests = 0

    /// What retransmissions add to the media, as a share of its bytes.
    package var extra: Double { mediaBytes == 0 ? 0 : Double(retransmittedBytes) / Double(mediaBytes) }
  }

  /// In the order of arrival.
  package internal(set) var arrivals: [Arrival] = []
  /// A report of the recorder that the sender answered at once; times in seconds.
  package struct Exchange: Hashable, Sendable {
    package var sent: Double
    package var reached: Double
    package var returned: Double

    /// In seconds.
    package var roundTrip: Double { returned - sent }
  }

  /// What the recorder measured of the round trip, in the order of measuring.
  package internal(set) var exchanges: [Exchange] = []
  /// The same as the service journals it: smoothed (`ReportScheduler`), in seconds.
  package internal(set) var smoothed: [Double] = []
  /// Media packets that never came, ascending.
  package internal(set) var missing: [Int] = []
  package internal(set) var counts = Counts()
}
