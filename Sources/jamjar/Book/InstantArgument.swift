import ArgumentParser
import Music

/// A time on the command line: RFC 3339, or a date, which stands for midnight UTC at its start.
struct InstantArgument: ExpressibleByArgument {
  let time: WallTime

  init?(argument: String) {
    guard let time = WallTime(argument) ?? WallTime(argument + "T00:00:00Z") else { return nil }
    self.time = time
  }
}
