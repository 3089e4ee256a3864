import Foundation
import Signaling

extension Page {
  /// Watches the studio's microphone from its opening on (Pages/witness.js).
  func prepareWitness() async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Pages/witness.js")
    try await run(
      String(contentsOf: script, encoding: .utf8) + """
        const begin = () => {
          if (!jamjar.stream) return;
          jamjar.events.removeEventListener("state", begin);
          window.watch = witness(jamjar.stream);
        };
        jamjar.events.addEventListener("state", begin);
        begin();
        """)
  }

  /// What the witness saw up to now.
  func witness() async throws -> JSONValue {
    try await run("return window.watch();")
  }
}
