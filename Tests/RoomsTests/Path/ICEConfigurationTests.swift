import Testing

@testable import Rooms

@Suite struct ICEConfigurationTests {
  @Test func addressesThatAreNamedAreAll() {
    let configuration = ICEConfiguration(addresses: ["192.0.2.7"], loopback: "127.0.0.1")
    #expect(configuration.gatheredAddresses == ["192.0.2.7"])
    #expect(configuration.plainAddress == "192.0.2.7")
  }

  @Test func besideLoopbackEveryInterfaceIsGathered() {
    let configuration = ICEConfiguration(loopback: "::1")
    #expect(configuration.gatheredAddresses == InterfaceAddresses.current + ["::1"])
  }

  @Test func plainRTPStaysOnLoopback() {
    #expect(ICEConfiguration(loopback: "127.0.0.1").plainAddress == "127.0.0.1")
    #expect(ICEConfiguration().plainAddress == "0.0.0.0")
  }

  @Test func withoutLoopbackItIsLeftToLibnice() {
    #expect(ICEConfiguration().gatheredAddresses == [])
  }
}
