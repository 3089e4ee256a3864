import Library
import Logging
import Music
import Realtime
import Recording
import Signaling

/// The configuration of the live side of the service.
package struct RoomsConfiguration: Sendable {
  /// The data folder for takes.
  package var recordings: String
  /// The policy of rooms without their own configuration.
  package var policy: RoomPolicy
  /// How long the seat of a Kurento client that is not heard survives the loss of its link, in seconds: as long as
  /// Kurento itself keeps it, unless rooms keep seats for a shorter time.
  package var kurentoGrace: Double
  /// The track of musicians who come back into a take.
  package var returning: ReturnPolicy
  /// Number of threads that carry packets.
  package var mediaLoops: Int
  /// Number of takes completed concurrently.
  package var renderWorkers: Int
  /// The executable of worker processes, which render takes (`RenderKeeper`), export and align; nil does that on
  /// threads of this process.
  package var workerProgram: String?
  package var ice: ICEConfiguration
  package var audio: AudioPreferences
  package var render: RenderOptions
  /// True to render while recording; otherwise everything is rendered at the end of the take.
  package var rollsRender: Bool
  /// How long running takes may continue after the first signal to stop, in seconds.
  package var drainLimit: Double
  /// Maximum number of live rooms.
  package var maximumRooms: Int
  /// Maximum number of listeners per room.
  package var maximumListeners: Int
  /// Most bytes of a room's takes and backups; nil for no limit. A rolling take is never cut.
  package var roomQuota: Int64?
  /// Members' permissions for shared objects.
  package var sharedObjects: SharedObjectPolicy
  /// The topology that a room's name stands for; nil for all other rooms.
  package var topologyOfName: @Sendable (RoomName) -> RoomPolicy.Topology? = { _ in nil }
  /// Name and version written into journals and manifests.
  package var software: String

  /// Kurento's own time (`ws.sessionReconnectionTime`), in seconds.
  package static let kurentoGrace = 10.0

  package init(
    recordings: String, policy: RoomPolicy = RoomPolicy(), returning: ReturnPolicy = .track,
    mediaLoops: Int = 1, renderWorkers: Int = 1, workerProgram: String? = nil,
    ice: ICEConfiguration = ICEConfiguration(), audio: AudioPreferences = AudioPreferences(),
    render: RenderOptions = RenderOptions(), rollsRender: Bool = true, drainLimit: Double = 0,
    maximumRooms: Int = 1_000,
    maximumListeners: Int = 256, sharedObjects: SharedObjectPolicy = SharedObjectPolicy(), software: String = "jamjar"
  ) {
    self.recordings = recordings
    self.policy = policy
    kurentoGrace = min(policy.gracePeriod, RoomsConfiguration.kurentoGrace)
    self.returning = returning
    self.mediaLoops = mediaLoops
    self.renderWorkers = renderWorkers
    self.workerProgram = workerProgram
    self.ice = ice
    self.audio = audio
    self.render = render
    self.rollsRender = rollsRender
    self.drainLimit = drainLimit
    self.maximumRooms = maximumRooms
    self.maximumListeners = maximumListeners
    self.sharedObjects = sharedObjects
    self.software = software
  }
}

/// The track used by a musician who leaves and comes back while a take rolls.
package enum ReturnPolicy: String, Sendable, Hashable, CaseIterable {
  /// Their earlier track: one musician, one track.
  case track
  /// A separate track for every stay.
  case part
}

/// The services of the process that every room uses.
struct RoomServices: Sendable {
  let configuration: RoomsConfiguration
  /// Accepts all writes without waiting for locks.
  let index: IndexBacklog
  let library: Library
  let certificate: DTLSCertificate
  /// Threads for live mixes, which must not delay packets.
  let mixLoops: MediaLoops
  let disk: DiskWriter
  /// Renders takes that are rolling or were just stopped.
  let renders: RenderQueue
  /// Renders takes of an earlier process on separate threads, so that current musicians never wait for them.
  let recoveries: RenderQueue
  let refinements: RefinementQueue
  let sharedState: SharedStateStore
  let revocations: Revocations
  let topologies: RoomTopologies
  let events: EventFeed
  let ledger: WorkLedger
  let candidates: CandidateCounts
  let usage: RoomUsage
  let traffic = TrafficTotals()
  let watch = RoomWatch()
  let logger: Logger
}
