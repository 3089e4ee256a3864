/// One direction of a network in virtual time: what it does to the datagrams that are sent through it.
package struct VirtualPath: Hashable, Sendable {
  /// Without waiting, in seconds.
  package var delay: Double
  package var jitter: VirtualLink.Jitter
  /// Share of datagrams that are lost, each for itself, 0 to 1.
  package var loss: Double
  /// Share of time in which everything is lost, 0 to 1 (Gilbert and Elliott's model in continuous time).
  package var burstShare: Double
  /// Mean length of such a time, in seconds.
  package var burst: Double
  /// Share of datagrams that take a way that is longer by `detour`.
  package var reordering: Double
  /// In seconds.
  package var detour: Double
  /// Share of datagrams that arrive twice.
  package var duplication: Double
  /// Bits a second that pass, nil for as many as come.
  package var rate: Double?
  /// Bytes that wait where more comes than passes; what comes then is dropped.
  package var queue: Int

  package init(
    delay: Double = 0.03, jitter: VirtualLink.Jitter = .uniform(0), loss: Double = 0, burstShare: Double = 0,
    burst: Double = 0.2, reordering: Double = 0, detour: Double = 0.02, duplication: Double = 0, rate: Double? = nil,
    queue: Int = 32_768
  ) {
    self.delay = delay
    self.jitter = jitter
    self.loss = loss
    self.burstShare = burstShare
    self.burst = burst
    self.reordering = reordering
    self.detour = detour
    self.duplication = duplication
    self.rate = rate
    self.queue = queue
  }
}
