import Logging
import Music
import Realtime

/// What every room needs of the process around it.
struct RoomServices: Sendable {
  let configuration: RoomsConfiguration
  let index: any TakeIndex
  let library: Library
  let certificate: DTLSCertificate
  /// Threads of live mixes, which must not hold up packets.
  let mixLoops: MediaLoops
  let disk: DiskWriter
  let renders: RenderQueue
  let refinements: RefinementQueue
  let sharedState: SharedStateStore
  let events: EventFeed
  let ledger: WorkLedger
  let logger: Logger
}
