import Signaling

extension WebPage {
  /// Waits until the rolling take is on disk up to `seconds`.
  func untilJournaled(_ seconds: Double) async throws {
    try await run(
      """
      const [wanted] = arguments_;
      await new Promise((resolve, reject) => {
        let last = null;
        const timer = setTimeout(() => { end(); reject(new Error(`not on disk in 80 s: ${wanted}; the last was ${last}`)); }, 80_000);
        const look = ({ detail }) => {
          last = detail.position;
          if (last < wanted) return;
          end();
          resolve();
        };
        const end = () => { clearTimeout(timer); jamjar.events.removeEventListener("journaled", look); };
        jamjar.events.addEventListener("journaled", look);
      });
      """, .number(seconds))
  }

  /// Opens another studio in a window of its own, which scripts reach as `window.<name>`.
  func openWindow(_ name: String) async throws {
    try await run(
      """
      const other = window.open(location.href, arguments_[0], "popup,width=900,height=700");
      window[arguments_[0]] = other;
      await new Promise((resolve) => {
        const look = () => other.jamjar ? resolve() : setTimeout(look, 20);
        look();
      });
      """, .string(name))
  }

  /// Joins with a tone of `frequency` Hz in place of a microphone, in the window `name` or in this one.
  @discardableResult
  func joinWithTone(
    _ room: String, as name: String, frequency: Double, window: String = "window", consent: Bool = true
  ) async throws -> JSONValue {
    try await run(
      """
      const [room, name, frequency, consent] = arguments_;
      const studio = \(window);
      const context = new studio.AudioContext({ sampleRate: 48000 });
      const tone = new studio.OscillatorNode(context, { frequency });
      const volume = new studio.GainNode(context, { gain: 0.3 });
      const destination = new studio.MediaStreamAudioDestinationNode(context, { channelCount: 2 });
      tone.connect(volume).connect(destination);
      tone.start();
      return await studio.jamjar.join({ room, name, consent, stream: destination.stream });
      """, .string(room), .string(name), .number(frequency), .bool(consent))
  }
}
