import Library
import Logging
import Music
import Realtime
import Recording
import Signaling

/// What the live side of the service is told at its start.
package struct RoomsConfiguration: Sendable {
  /// The data folder that takes are written to.
  package var recordings: String
  /// The policy of rooms that nobody configured.
  package var policy: RoomPolicy
  /// What musicians play into who come back into a take.
  package var returning: ReturnPolicy
  /// Threads that carry packets.
  package var mediaLoops: Int
  /// Takes that are completed at the same time.
  package var renderWorkers: Int
  /// The executable that renders takes, each in a process of its own (`RenderKeeper`); nil renders on threads of this
  /// process.
  package var renderProgram: String?
  package var ice: ICEConfiguration
  package var audio: AudioPreferences
  package var render: RenderOptions
  /// Render while recording; without, everything is rendered at the take's end.
  package var rollsRender: Bool
  /// How long running takes may go on after the first signal to stop, in seconds.
  package var drainLimit: Double
  /// Live rooms at most.
  package var maximumRooms: Int
  /// Listeners in one room at most.
  package var maximumListeners: Int
  /// What members may do with shared objects.
  package var sharedObjects: SharedObjectPolicy
  /// Name and version that journals and manifests are signed with.
  package var software: String

  package init(
    recordings: String, policy: RoomPolicy = RoomPolicy(), returning: ReturnPolicy = .track,
    mediaLoops: Int = 1, renderWorkers: Int = 1, renderProgram: String? = nil,
    ice: ICEConfiguration = ICEConfiguration(), audio: AudioPreferences = AudioPreferences(),
    render: RenderOptions = RenderOptions(), rollsRender: Bool = true, drainLimit: Double = 0,
    maximumRooms: Int = 1_000,
    maximumListeners: Int = 256, sharedObjects: SharedObjectPolicy = SharedObjectPolicy(), software: String = "jamjar"
  ) {
    self.recordings = recordings
    self.policy = policy
    self.returning = returning
    self.mediaLoops = mediaLoops
    self.renderWorkers = renderWorkers
    self.renderProgram = renderProgram
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

/// What a musician plays into who leaves and comes back while a take rolls.
package enum ReturnPolicy: String, Sendable, Hashable, CaseIterable {
  /// The track that they had: one musician, one track.
  case track
  /// A track of its own for every stay.
  case part
}

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
