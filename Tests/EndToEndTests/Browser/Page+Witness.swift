import Signaling

extension Page {
  /// Watches the studio's microphone from its opening on (Pages/witness.js).
  func prepareWitness() async throws {
    try await run(
      PageScript.text("witness.js") + """
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
