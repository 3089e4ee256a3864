import Foundation
import Glibc
import Machines
import Music
import Realtime
import Recording
import Server

/// Measures this machine: disk, time server, loopback.
enum MachineProbe {
  private static let piece = 1 << 20
  /// Pieces written to measure the speed: 32 MB.
  private static let pieces = 32
  /// Small writes, as of a journal, each brought to the disk.
  private static let smallWrites = 16
  private static let smallWrite = 4_096

  /// Writes to the folder, or to the nearest one above that exists, and leaves nothing.
  static func disk(_ folder: String) -> DiskCheck.Outcome {
    var place = URL(fileURLWithPath: folder).standardizedFileURL
    while !FileManager.default.fileExists(atPath: place.path), place.path != "/" { place.deleteLastPathComponent() }
    let status = try? FileManager.default.attributesOfFileSystem(forPath: place.path)
    guard let free = (status?[.systemFreeSize] as? NSNumber)?.int64Value else {
      return .refused("its disk does not say how much room it has")
    }
    let path = place.appendingPathComponent(".jamjar-doctor-\(UInt32.random(in: .min ... .max))").path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return .refused(String(cString: strerror(errno))) }
    // Without a name nothing is left, however this ends.
    unlink(path)
    defer { close(descriptor) }
    var reading = DiskCheck.Reading(free: free)
    guard free > Int64(2 * pieces * piece) else { return .read(reading) }
    let bytes = [UInt8](repeating: 0x6A, count: piece)
    let began = MonotonicClock.now
    for _ in 0..<pieces where write(descriptor, bytes, piece) != piece {
      return .refused(String(cString: strerror(errno)))
    }
    guard fsync(descriptor) == 0 else { return .refused(String(cString: strerror(errno))) }
    reading.speed = Double(pieces * piece) / max(seconds(since: began), 1e-6)
    var slowest = 0.0
    for _ in 0..<smallWrites {
      let began = MonotonicClock.now
      guard write(descriptor, bytes, smallWrite) == smallWrite, fsync(descriptor) == 0 else {
        return .refused(String(cString: strerror(errno)))
      }
      slowest = max(slowest, seconds(since: began) * 1_000)
    }
    reading.slowest = slowest
    return .read(reading)
  }

  private static func seconds(since began: MonotonicTime) -> Double {
    Double((MonotonicClock.now - began).nanoseconds) / 1e9
  }

  /// Our clock, to the millisecond.
  private static var clock: NTPTime { NTPTime(unixNanoseconds: MonotonicClock.wall.milliseconds &* 1_000_000) }

  /// How far the clock is ahead of that of a time server, in nanoseconds; nil without an answer.
  static func ahead(of host: String, port: UInt16) -> Int64? {
    guard let socket = try? ProbeSocket(.udp, host: host, port: port) else { return nil }
    for _ in 0..<2 {
      let question = ClockQuestion(at: clock)
      guard (try? socket.send(question.bytes)) != nil, let answer = try? socket.receive(within: 1_500) else { continue }
      if let ahead = question.ahead(answer, heard: clock) { return ahead }
    }
    return nil
  }

  private static let rounds = 500

  /// Milliseconds of a packet to another thread of this machine and back: the middle one, and one of a hundred.
  static func loopback() -> (median: Double, worst: Double)? {
    guard let near = try? ProbeSocket(.udp, on: "127.0.0.1", port: 0), let here = near.local,
      let far = try? ProbeSocket(.udp, on: "127.0.0.1", port: 0), let there = far.local,
      (try? near.aim(at: there)) != nil, (try? far.aim(at: here)) != nil
    else { return nil }
    Thread.detachNewThread {
      // Ends a second after the last packet.
      while let bytes = try? far.receive(within: 1_000) { try? far.send(bytes) }
    }
    var times: [Double] = []
    for number in 0..<rounds {
      let began = MonotonicClock.now
      guard (try? near.send([UInt8(truncatingIfNeeded: number)])) != nil,
        let _ = try? near.receive(within: 1_000)
      else { return nil }
      times.append(seconds(since: began) * 1_000)
    }
    times.sort()
    return (times[times.count / 2], times[times.count * 99 / 100])
  }
}
