import Signaling
import Testing

extension Doors {
  /// Why sound does not arrive is said within seconds, with what to do.
  @Suite(.serialized) struct StudioArrivalTests {
    @Test func everyReasonHasItsSentence() async throws {
      try await Stage.run { stage in
        let page = try await stage.openStudio()
        let said = try await page.run(
          """
          const { candidates, trouble } = await import("/studio/room/arrival.js");
          const at = (address, port = 40_000) => ({ address, port });
          const whole = {
            isOut: true, name: "Bob", waited: 9, wasUp: true, ice: "connected", connection: "connected", packets: 200, arrives: true,
            isMuted: false, isHeldBack: false, isEnded: false, ours: [at("192.0.2.2")], theirs: [at("192.0.2.7")],
          };
          const id = (facts) => trouble({ ...whole, ...facts })?.id ?? null;
          const noPath = { ice: "checking", connection: "connecting", wasUp: false, packets: 0, arrives: false };
          const text = trouble({ ...whole, ...noPath, ours: [at("192.0.2.2"), at("x.local")], theirs: [at("192.0.2.7", 40_000), at("fd00::7", 40_003)] }).text;
          const sdp = "v=0\\r\\na=candidate:1 1 UDP 2122 192.0.2.2 5000 typ host\\r\\na=candidate:2 1 tcp 1 192.0.2.2 9 typ host tcptype active\\r\\n";
          const parsed = candidates(sdp).map(({ address, port }) => `${address} ${port}`);
          return [
            [...parsed, ...candidates(undefined)],
            [id({}), id({ ...noPath, waited: 2 }), id({ packets: null }), id({ isMuted: true, packets: 0 }), id({ isOut: false })],
            [
              id(noPath), id({ ...noPath, waited: 0, ice: "failed" }), id({ ...noPath, wasUp: true, ice: "disconnected" }),
              id({ ...noPath, ours: [] }), id({ ...noPath, theirs: [] }), id({ ...noPath, theirs: [at("127.0.0.1"), at("::1")] }),
              id({ ...noPath, theirs: [at("127.0.0.1"), at("192.0.2.7")] }),
            ],
            [id({ connection: "failed", waited: 0 }), id({ connection: "connecting" })],
            [
              id({ isEnded: true }), id({ isHeldBack: true }), id({ packets: 0 }), id({ arrives: false }),
              id({ isOut: false, packets: 0 }), id({ isOut: false, packets: 0, arrives: false }),
            ],
            ["192.0.2.2 and a hidden one", "192.0.2.7 and fd00::7", "UDP ports 40000 to 40003", "--ice-public-address"].filter((one) => !text.includes(one)),
          ];
          """)
        #expect(
          said == [
            ["192.0.2.2 5000"],
            [.null, .null, .null, .null, .null],
            ["no-path", "no-path", "path-lost", "no-address", "no-offer", "loopback", "no-path"],
            ["no-encryption", "slow-encryption"],
            ["microphone-gone", "microphone-held", "nothing-sent", "nothing-received", "nothing-heard", .null],
            [],
          ], "\(said.text)")
      }
    }

    /// A service that names an address at which nobody answers, as behind a router: its real one is rewritten on the way.
    @Test func aServiceThatCannotBeReachedIsNamedWithItsAddressAndPort() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser()
        try await page.prepare(
          """
          const prototype = RTCPeerConnection.prototype, set = prototype.setRemoteDescription;
          prototype.setRemoteDescription = function ({ type, sdp }) {
            return set.call(this, { type, sdp: sdp.replace(/^(a=candidate:\\S+ \\d+ \\S+ \\d+ )\\S+/gm, "$1198.51.100.7") });
          };
          Object.defineProperty(prototype, "onicecandidate", { set() {}, configurable: true });
          prototype.addIceCandidate = async () => {};
          """)
        try await page.openStudio(of: stage.service, at: "/rooms/lost?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.untilShown(".trouble[data-id=no-path]")
        let text = try await page.text(".trouble")
        #expect(
          text.contains("198.51.100.7") && text.contains("UDP port") && text.contains("--ice-public-address"),
          "\(text)")
      }
    }
  }
}
