import Foundation
import Testing

@testable import Server

struct DescriptorReserveTests {
  /// The kernel tells the size of a process' table.
  @Test func theTableNeedNotGrowLater() throws {
    DescriptorLimit.reserve()
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("FDSize:") })
    let size = try #require(line.split(separator: "\t").last.flatMap { Int($0) })
    #expect(size >= min(DescriptorLimit.current, 65_536))
  }
}
