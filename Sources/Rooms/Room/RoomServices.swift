import Logging
import Music
import Realtime

/// What every room needs of the process around it.
struct RoomServices: Sendable {
  let configuration: RoomsConfiguration
  /// Takes everything, and waits for nobody's lock.
  let index: IndexBacklog
  let library: Library
  let certificate: DTLSCertificate
  /// Threads of live mixes, which must not hold up packets.
  let mixLoops: MediaLoops
  let disk: DiskWriter
  /// Renders of takes that roll, or that were just stopped.
  let renders: RenderQueue
  /// Renders of takes that a former process left, on threads of their own: nobody who plays now waits for them.
  let recoveries: RenderQueue
  let refinements: RefinementQueue
  let sharedState: SharedStateStore
  let events: EventFeed
  let ledger: WorkLedger
  let logger: Logger
}
