import Foundation
import Testing

// All of these start the service. Each lane runs its tests one after the other, and the lanes run side by side, since a
// test waits most of the time: for music to be played, for a page, for a program. Every test has a service, a data
// folder and ports of its own. The limits end a test that waits for what never comes.
//
// Three tests run at a time (script/test): one of Players and Senders, one of Doors, Pages and Dialects, and one of Programs,
// which begin first and at a lower priority, and then of Apps. Within a place the lane that waits longest begins its next
// test. A new test goes where it belongs by subject; script/test says at its end how long each place took, and the longest
// decides.

/// Of several limits the shortest holds. A long walk (`StudioWalkTests`) has an hour, and is run alone.
private let longestTest: TimeLimitTrait.Duration =
  ProcessInfo.processInfo.environment["JAMJAR_WALK_STEPS"] == nil ? .minutes(5) : .minutes(60)

/// Browsers whose sound is held against what they played. Their microphones get the processor before everything else.
@Suite(.serialized, .timeLimit(longestTest), .evidence) enum Players {}

/// Browsers on their way into a room of the studio: the door, rights, refusals.
@Suite(.serialized, .timeLimit(.minutes(5)), .browserNiceness(-5), .evidence) enum Doors {}

/// Browsers for everything else that a page of the studio does with sound.
@Suite(.serialized, .timeLimit(.minutes(5)), .browserNiceness(-5), .evidence) enum Pages {}

/// Browsers with clients of other protocols, and Firefox.
@Suite(.serialized, .timeLimit(.minutes(5)), .browserNiceness(-5), .evidence) enum Dialects {}

/// The command line and the process itself, clients of its protocols, and pages of the studio that are looked at: without
/// music that has to be in time. Beside all others, a test may have to wait for the processor.
@Suite(.serialized, .timeLimit(.minutes(5)), .browserNiceness(0), .evidence) enum Programs {}

/// What counts instructions: as many whenever they are carried out, so it gets what all others leave of the processor.
@Suite(.serialized, .evidence) enum Counts {}

/// Bots, and musicians whose sound is held against the clock, without a browser.
@Suite(.serialized, .timeLimit(.minutes(5)), .evidence) enum Senders {}

/// Encoders, players, and servers and apps of others, without a browser. What they send has to be in time.
@Suite(.serialized, .timeLimit(.minutes(5)), .evidence) enum Apps {}

/// What stops the recorder, takes all that a process may have, or plays dozens of musicians whose packets have to leave in
/// time. script/test runs them last, beside nothing else: three that wait most of the time, at once.
@Suite(.timeLimit(.minutes(5)), .evidence) enum Machine {}
