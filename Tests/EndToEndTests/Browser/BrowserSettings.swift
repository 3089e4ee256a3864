import Signaling

/// How a browser of a test is set up.
struct BrowserSettings: Sendable {
  /// Both are of one version and have the same pages, network and sound.
  enum Program: String, Sendable {
    /// Chromium without windows, tabs and what belongs to them: less than half of the processor time for a start, and a
    /// fifth less for a room's page (docs/decisions/0080-tests-in-chromiums-shell.md).
    ///
    /// The program itself: what is in /usr/bin starts it as a child, and a test that kills a browser would kill a shell script.
    case shell = "/usr/lib/chromium/chromium-headless-shell"
    /// What people have, without a screen.
    case browser = "/usr/bin/chromium"
  }

  enum Sound: Sendable {
    /// A device that plays the WAV at this path (16 bit; 24 would play silence) in place of a microphone.
    case file(String)
    /// A device that beeps at full scale.
    case beeps
    /// No device: what a machine without a microphone has.
    case none
    /// A device, and a person who says no when they are asked.
    case denied
  }

  var sound = Sound.beeps
  var program = Program.shell
  /// Of the window, in CSS pixels. A small window that does not move costs little to paint: the
  /// fake device needs the processor in time.
  var size = (width: 640, height: 480)
  var arguments: [String] = []

  /// chromedriver's `goog:chromeOptions`.
  var options: JSONValue {
    // Why: headless and without a sandbox because tests run as root in containers; sound needs no click and goes nowhere.
    var flags = [
      "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio", "--window-size=\(size.width),\(size.height)",
      "--force-prefers-reduced-motion", "--autoplay-policy=no-user-gesture-required",
      // What pops up below the address is a page too, in a process of its own: a fifth of what a start costs, and nobody
      // sees it.
      "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
    ]
    switch sound {
    // The fake UI says yes to the device's prompt.
    case .file(let path):
      flags += [
        "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
        "--use-file-for-fake-audio-capture=\(path)",
      ]
    case .beeps: flags += ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
    case .none: flags += ["--use-fake-ui-for-media-stream"]
    case .denied: flags += ["--use-fake-device-for-media-stream", "--deny-permission-prompts"]
    }
    return ["binary": .string(program.rawValue), "args": .array((flags + arguments).map(JSONValue.string))]
  }
}
