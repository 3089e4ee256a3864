/// How the descriptors of the process are shared out: connections may have so many that what is recorded never lacks one.
struct DescriptorBudget: Equatable {
  /// Connections get one of so many that are free; a musician's media, files and threads need twenty for each connection.
  private static let share = 4
  /// Three musicians and those who watch, however few there are.
  private static let leastConnections = 8
  /// Descriptors of one full room whose musicians hear each other: nine connections with a socket for each address and
  /// an event each, the journal, and the files that are rendered.
  private static let fullRoom = 64

  /// Connections at a time.
  var connections: Int
  /// What is left for everything else.
  var others: Int

  /// - Parameters:
  ///   - limit: descriptors that the process may have.
  ///   - inUse: those that it has at its start.
  ///   - most: connections that are taken at most, however many descriptors there are.
  init(limit: Int, inUse: Int, most: Int) {
    let free = max(0, limit - inUse)
    connections = min(most, max(DescriptorBudget.leastConnections, free / DescriptorBudget.share))
    others = max(0, free - connections)
  }

  /// One room of three musicians is recorded whatever else happens.
  var isEnough: Bool { others >= DescriptorBudget.fullRoom }
}
