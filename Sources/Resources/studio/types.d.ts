// Shapes that several modules of the studio share, for `tsc` alone (script/lint): what REST (docs/rest.md) and the room's
// link (docs/protocol.md) send, and what browsers have that TypeScript's own library does not know. Never served.

// Modules by name, so that comments need no imports.
type Backups = typeof import("./backup/backups.js").backups;
type Copy = import("./backup/copy.js").Copy;
type Compare = import("./takes/compare.js").Compare;
type Deck = import("./takes/deck.js").Deck;
type DeckLoader = import("./takes/deck-loader.js").DeckLoader;
type Desk = import("./playing/desk.js").Desk;
type Link = import("./room/link.js").Link;
type ListRow = import("./takes/list-row.js").ListRow;
type Listening = import("./room/warnings.js").Listening;
type Microphone = import("./room/microphone.js").Microphone;
type Mixing = import("./takes/mixing.js").Mixing;
type Outline = import("./takes/outline.js").Outline;
type Pedal = import("./playing/pedal.js").Pedal;
type Peaks = import("./takes/peaks.js").Peaks;
type Peer = import("./room/peer.js").Peer;
type Ear = import("./mesh/direct.js").Ear;
type Player = import("./takes/player.js").Player;
type Refusal = import("./base/refusal.js").Refusal;
type RoomState = import("./room/room-state.js").RoomState;
type Router = import("./base/router.js").Router;
type Score = import("./takes/score.js").Score;
type SharedObject = import("./room/shared.js").SharedObject;
type SharePlayer = import("./share/player.js").Player;
type Side = import("./takes/player.js").Side;
type Sound = import("./room/sound.js").Sound;
type Reading = import("./room/quality.js").Reading;
type Studio = import("./room/studio.js").Studio;
type TakeCues = import("./takes/take-cues.js").TakeCues;
type TakePlayer = import("./takes/take-player.js").TakePlayer;
type TakeStore = import("./takes/take-store.js").TakeStore;
type Toast = import("./takes/toast.js").Toast;
type Upload = import("./backup/upload.js").Upload;
type AboutTake = import("./takes/about-take.js").AboutTake;
type ExportDialog = import("./takes/export-dialog.js").ExportDialog;
type Lane = import("./takes/lane.js").Lane;
type Quality = import("./room/quality.js").Quality;
type Strip = import("./takes/strip.js").Strip;
type Talkback = import("./playing/talkback.js").Talkback;
type Zoom = import("./takes/zoom.js").Zoom;

// -- events and elements

/** An EventTarget whose events and details are known. `extends` it by a cast of EventTarget to `EmitterOf<…>`. */
interface Emitter<Events> {
  addEventListener<K extends keyof Events & string>(
    type: K, listener: (event: CustomEvent<Events[K]>) => unknown, options?: AddEventListenerOptions): void;
  removeEventListener<K extends keyof Events & string>(type: K, listener: (event: CustomEvent<Events[K]>) => unknown): void;
  dispatchEvent(event: Event): boolean;
}
type EmitterOf<Events> = { new (): Emitter<Events> };

type Child = Node | string | null | undefined | false;
/** What `element` sets: properties, numbers where HTML has their text, and attributes. */
type Properties<K extends keyof HTMLElementTagNameMap> = {
  [P in Exclude<keyof HTMLElementTagNameMap[K], "style" | "dataset" | "htmlFor" | "list">]?:
    (HTMLElementTagNameMap[K][P] extends string ? string | number : HTMLElementTagNameMap[K][P]) | null
} & {
  style?: Record<string, string>; dataset?: Record<string, unknown>; htmlFor?: string; role?: string | null;
  [attribute: `aria-${string}`]: string | boolean | null;
};
interface HTMLElementTagNameMap { search: HTMLElement }

/** What a view of the router gets and gives. */
interface ViewContext { parameters: Record<string, string>; query: URLSearchParams; go(address: string): Promise<void> }
interface View { title?: string | null; close?(): unknown }
interface ViewModule { open(place: HTMLElement, context: ViewContext): Promise<View> }

// -- REST

interface Problem { type?: string; title?: string; detail?: string; status?: number; received?: number }
interface Page<T> { items: T[]; next?: string | null }
interface Song { id: string; title: string }
interface Participant { id: string; name: string }
type TakeState = "rolling" | "captured" | "rendering" | "ready" | "incomplete" | "failed";
interface Take {
  id: string; number: number; room: string; session: string; title: string | null; song: Song | null; state: TakeState; startedAt: string;
  /** In seconds. */ duration: number | null;
  trackCount: number; rating: number | null; favourite: boolean; notes: string | null; tags: string[]; revision: number;
  deletedAt: string | null; loudness: number | null; refinement: { packets: number; greatestMove: number } | null; cues?: Cue[];
}
interface Cue {
  id: string; position: number; text: string; author: string | null; comment?: { name: string; hidden: boolean } | null;
}
interface Gap { start: number; duration: number; cause: string; concealed: boolean }
interface Stretch { start: number; end: number; errorBound: number | null }
interface Alignment {
  /** Milliseconds; null if nothing bounds it. */
  errorBound: number | null;
  drift: number; basis: string; unknownBecause?: string | null; errorBounds?: Stretch[];
  unseenDrops?: { start: number; end: number }[]; expectedPackets: number; recoveredPackets: number; lostPackets: number;
}
interface Track {
  id: string; number: number; participant: Participant; part: string | null; channels: number; duration: number; gaps: Gap[];
  alignment: Alignment | null;
  lossless: { backup: string; gain?: number; correlation: number; covered: number; filled: number } | null;
}
interface RoomFact {
  name: string; live: boolean; members: Member[]; policy: { capacity: number } | null; take: RollingTake | null;
}
interface BotFact {
  id: string; url: string; room: string; state: string; detail?: string; caveats: string; guests: { name: string }[];
}
interface Export {
  id: string; take: string; name: string; state: "queued" | "running" | "done" | "failed" | "cancelled"; createdAt: string;
  finishedAt?: string | null; size?: number | null; progress?: number | null; file?: string | null;
  problem?: Problem | string | null;
}
interface Share {
  id: string; contents: string; expired: boolean; expiresAt: string | null; password: boolean; path: string;
}
/** A take as a link shows it. */
interface SharedTake {
  title: string | null; number: number; duration: number | null; startedAt: string; expiresAt: string | null; mix: boolean;
  light: boolean; comments: boolean; cues: SharedCue[]; musicians: { name: string; part: string | null }[];
  tracks: { id: string; name: string; part: string | null }[];
}
interface SharedCue { position: number; text: string; name: string | null }
interface SharedSound { label: string; sound: string; peaks: string; light?: string | null; track?: string }
/** Where a musician's music suffered; the id only of tracks that the link opens. */
interface SharedConnection { id: string | null; name: string; stretches: { start: number; end: number; level: number; cause: string }[] }

// -- the room's link

type Ask = (method: string, params?: object) => Promise<any>;
type Role = "listener" | "musician" | "moderator" | "owner" | "operator";
interface Member {
  participant: Participant; role: "musician" | "listener"; part: string | null; consent: boolean; publishing: boolean;
  connected: boolean; muted?: boolean; sound?: "on" | "muted" | "talkback"; quality?: QualityReading | null;
}
interface QualityReading {
  level: number; cause?: string | null; roundTrip?: number | null; jitter?: number | null; expected: number; missed: number; loss?: number | null;
}
interface QualityRow extends QualityReading { start: number; end: number; concealed: number }
/** A stretch of a take at one level for one reason, and a reading that stands for it: links give no figures. */
interface QualityStretch { start: number; end: number; worst: Partial<QualityRow> & { level: number } }
interface RollingTake { id: string; number: number; song: { title: string } | null }
type Topology = "routed" | "mesh";
interface Policy { recording: "call" | "manual"; capacity: number; topology?: Topology }
interface MeshPair {
  number: number; offers: string; answers: string; attempt: number; state: "connecting" | "connected" | "lost" | "failed"; route: "direct" | "routed";
}
/** What two musicians' pages say to each other about their pair: one of the four. */
interface PairMessage { offer?: string; answer?: string; candidate?: RTCIceCandidateInit | null; bye?: boolean }
/** What one musician's page has measured, in milliseconds, whole and in its parts (playing/reports.js). */
interface DelaySlot {
  send: number | null; hear?: Record<string, number>; leave?: number | null; direct?: Record<string, number>;
  device?: number | null; way?: number; buffers?: Record<string, number>; isBusy?: boolean; clippings?: number;
}
interface CountPlan { at: number; bars: number; tempo: number }
interface ObjectChange { kind: string; key: string; value: any }
interface ObjectEvent {
  event: "object"; object: string; version: number; slots?: Record<string, any>; changes?: ObjectChange[];
}
type ServerEvent =
  | { event: "joined" | "changed"; member: Member }
  | { event: "muted"; muted: boolean; by: string }
  | { event: "left" | "published" | "unpublished"; participant: string }
  | { event: "candidate"; peer: string; candidate: RTCIceCandidateInit | null }
  | { event: "takeStarted" | "takeStopped"; take: RollingTake | null; stopped?: boolean }
  | { event: "takeFinished"; takeId: string; state: TakeState }
  | { event: "journaled"; takeId: string; position: number }
  | { event: "cue"; takeId: string; cue: Cue }
  | { event: "message"; from: string; missedFrom?: string; text: string; private?: boolean }
  | { event: "warning"; code: string; text: string }
  | { event: "topology"; topology: Topology }
  | { event: "quality"; participant: string } & QualityReading
  | { event: "backing"; playing: unknown }
  | { event: "pair"; pair: MeshPair }
  | { event: "relayed"; from: string; pair: number } & PairMessage
  | ObjectEvent;
interface Grant {
  participant: string; resume: string; authority?: "musician" | "listener"; role?: Role; iceServers: RTCIceServer[];
  snapshot: { policy: Policy; session: string | null; stopped?: boolean; members: Member[]; take: RollingTake | null; cues?: Cue[]; pairs?: MeshPair[] };
}

// -- the state of this page's room

type Phase = "idle" | "joining" | "joined" | "reconnecting";
type Channels = "stereo" | "left" | "right" | "mono";
interface MicrophoneOptions { device?: string; channels?: string; isMuted?: boolean; wav?: string; stream?: MediaStream }
interface JoinOptions {
  name: string; room: string; part?: string | null; consent?: boolean; listener?: boolean; token?: string | null;
  resume?: string | null; isMuted?: boolean; backup?: boolean; device?: string; channels?: string; wav?: string;
  stream?: MediaStream; microphone?: Microphone | null;
}
interface StudioState {
  phase: Phase; room: string | null; participant: string | null; take: RollingTake | null; members: Member[];
  resume: string | null; peers: Record<string, RTCPeerConnectionState>; safe: number; isMuted: boolean;
}
interface SentAway { room: string | undefined; code: string }
type StudioEvents = { [E in ServerEvent["event"]]: ServerEvent & { event: E } } & {
  state: StudioState; problem: string; measured: undefined; microphone: undefined; countIn: CountPlan; "sent-away": SentAway;
};
/** What a part of a view gives back. */
interface Part { close(): unknown }
interface Levels { peak: number[]; rms: number[]; isMono: boolean; clipped: number }
/** Seconds, packets and shares; see room/quality.js. */
interface Measurement {
  roundTrip: number | null; jitter: number | null; buffer: number | null; loss: number | null; packets: number; lost: number;
  rate: number | null;
}
/** `at`: seconds of this page's clock. */
interface Message { name: string; text: string; isPrivate: boolean; at: number }
interface Pending { resolve(result: any): void; reject(refusal: Refusal): void }
interface Warning { kind: "problem" | "hint"; id: string; text: string }

type RoomFacts = import("./playing/truth.js").RoomFacts;
type MusicianFacts = import("./playing/truth.js").MusicianFacts;
/** What the keys, pedals and buttons of a room do. */
interface RoomActions {
  start(): unknown; split(): unknown; cue(): unknown; keep(): unknown; mute(): unknown; tune(): unknown; toggleStage(): unknown; turn(direction: 1 | -1): unknown;
  talk(isHeld: boolean): void;
}

// -- lossless copies

interface CopyFacts {
  take: string; participant: string; room: string; title: string; sampleRate: number; channels: number; startedAt?: string;
  address?: string;
}
interface CopyState {
  key: string; take: string; room: string; title: string; seconds: number; isOpen: boolean; share: number; state: string;
  problem: string | null;
}
interface SyncHandle {
  getSize(): number; read(bytes: Uint8Array, place: { at: number }): number; write(bytes: Uint8Array, place: { at: number }): number;
  flush(): void; close(): void;
}

// -- the deck

/** In frames. */
interface Loop { from: number; to: number }
/** In seconds. */
interface TimeSpan { from: number; to: number }
type Pair = [left: number, right: number];
type Gains = [id: string, gains: Pair][];
/** A track's samples, where they are. */
interface SoundPlace {
  address(start: number, duration: number): string; segment?: ((index: number) => string) | null; gain?: number; channels?: number;
}
interface DeckTrack extends SoundPlace { id: string; length: number }
interface Chunk { channels: Float32Array[]; lead: Float32Array[]; isExact: boolean }
interface ChunkMessage extends Chunk { does: "chunk"; id: string; index: number }
interface Tape { from: number | null; filled: number; left: Float32Array; right: Float32Array }
interface DeckReport {
  tape?: Tape; state: "playing" | "waiting" | "stopped" | "ended"; turn: number; position: number; levels: [string, number][];
  master: Pair;
}
type DeckState = "stopped" | "playing" | "waiting";
interface Channel { gain: number; pan: number; mute: boolean; solo: boolean }
interface CueActions {
  seek(cue: Cue): void; move(cue: Cue, position: number): unknown; rename(cue: Cue): void; delete(cue: Cue): unknown;
}
interface ScoreActions { seek(seconds: number): void; select(from: number, to: number): void; cue: CueActions }

// -- what browsers have beyond TypeScript's library
declare class AudioWorkletProcessor { readonly port: MessagePort }
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare const currentFrame: number;
declare const sampleRate: number;
interface MIDIInput { name: string | null; onmidimessage: ((event: { data: Uint8Array }) => unknown) | null }
interface MIDIAccess { inputs: Map<string, MIDIInput>; onstatechange: (() => unknown) | null }
interface RTCRtpReceiver { jitterBufferTarget?: number | null }
interface Navigator {
  connection?: EventTarget; requestMIDIAccess?(): Promise<MIDIAccess>; wakeLock?: { request(kind: "screen"): Promise<WakeLock> };
}
interface WakeLock extends EventTarget { release(): Promise<void> }
interface HTMLMediaElement { setSinkId?(device: string): Promise<void> }
interface AudioContext { setSinkId?(device: string): Promise<void> }
interface FileSystemDirectoryHandle { keys(): AsyncIterable<string> }
interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<SyncHandle>;
  createWritable(): Promise<{ write(text: string): Promise<void>; close(): Promise<void> }>;
}
interface URLSearchParams { readonly size: number; [Symbol.iterator](): IterableIterator<[string, string]> }
interface Array<T> { findLast(fits: (item: T) => boolean): T | undefined }
declare class URLPattern { constructor(pattern: { pathname: string }) }
interface MediaTrackSettings { latency?: number; channelCount?: number }
interface MediaTrackConstraintSet { latency?: ConstrainDouble }
/** A service worker's global scope, as far as it is used. */
interface WorkerScope {
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
  skipWaiting(): Promise<void>; location: Location; clients: { claim(): Promise<void> };
  registration: { navigationPreload?: { enable(): Promise<void> } };
}
interface WorkerEvent {
  request: Request; preloadResponse: Promise<Response | undefined>;
  waitUntil(work: Promise<unknown>): void; respondWith(response: Promise<Response>): void;
  addRoutes?(routes: object[]): Promise<void> | undefined;
}

/** For the console and the tests. */
interface Window { jamjar: object; jamjarShare: SharePlayer; jamjarDeck?: Deck; jamjarPlayer?: Player }
declare var jamjarDeck: Deck | undefined;
declare var jamjarPlayer: Player | undefined;
