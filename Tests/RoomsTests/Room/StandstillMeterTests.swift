import Machines
import Testing

@testable import Rooms

@Suite struct StandstillMeterTests {
  @Test func aLateTickIsAStandstillOfTheRecorder() {
    var meter = StandstillMeter()
    var now = MonotonicTime(nanoseconds: 7)
    for _ in 0..<100 {
      #expect(meter.tick(at: now, suspended: .seconds(3)) == nil)
      now = now + .milliseconds(50)
    }
    let before = now - .milliseconds(50)
    now = now + .seconds(6)
    let standstill = meter.tick(at: now, suspended: .seconds(3))
    #expect(standstill == .init(end: now, length: now - before, isSuspension: false))
    #expect(meter.tick(at: now + .milliseconds(50), suspended: .seconds(3)) == nil)
  }

  @Test func aSuspendedMachineIsKnownByItsClocks() {
    var meter = StandstillMeter()
    let start = MonotonicTime(nanoseconds: 0)
    #expect(meter.tick(at: start, suspended: .zero) == nil)
    let standstill = meter.tick(at: start + .seconds(90), suspended: .seconds(89))
    #expect(standstill?.isSuspension == true && standstill?.length == .seconds(90))
  }

  @Test func aShortDelayIsNone() {
    var meter = StandstillMeter()
    #expect(meter.tick(at: MonotonicTime(nanoseconds: 0), suspended: .zero) == nil)
    #expect(meter.tick(at: MonotonicTime(nanoseconds: 900_000_000), suspended: .zero) == nil)
  }
}
