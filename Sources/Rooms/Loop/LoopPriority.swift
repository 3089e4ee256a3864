import Glibc

/// How the thread of a loop stands to others: a packet is some ten microseconds of work, and somebody's ears wait for it.
///
/// Both need CAP_SYS_NICE or a limit (RLIMIT_RTPRIO, RLIMIT_NICE); where they are refused, all threads are equal.
package enum LoopPriority: Sendable {
  /// Before ordinary threads of any niceness (SCHED_RR): a musician's packet is passed on. `high` where it is refused.
  case realTime
  /// Nice -10: before requests, renders and their starts.
  case high

  private static let niceness: Int32 = -10
  /// sched(7), SCHED_RESET_ON_FORK: threads and processes that this one starts are ordinary ones.
  private static let resetOnFork: Int32 = 0x4000_0000

  /// Makes it that of the calling thread.
  /// - Returns: what the thread has now.
  @discardableResult
  func take() -> LoopPriority {
    var parameters = sched_param()
    if self == .realTime {
      // The lowest of them: nothing else here is one, and the kernel's own come first.
      parameters.sched_priority = sched_get_priority_min(SCHED_RR)
      if sched_setscheduler(0, SCHED_RR | LoopPriority.resetOnFork, &parameters) == 0 { return .realTime }
    }
    parameters.sched_priority = 0
    sched_setscheduler(0, SCHED_OTHER | LoopPriority.resetOnFork, &parameters)
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, LoopPriority.niceness)
    return .high
  }
}
