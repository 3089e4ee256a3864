import CLinux
import Glibc
import Recording

/// What a worker process gives up before it works: decoders and parsers of files from outside run in it.
///
/// Every part holds by itself. A kernel without Landlock or seccomp leaves the others in force (docs/operating.md).
package struct Confinement: Sendable {
  /// What may be done in a folder and everything below it.
  package enum Reach: Sendable {
    /// Only to see its names.
    case list
    case read
    case write

    fileprivate var value: jamjar_reach {
      switch self {
      case .list: jamjar_reach_list
      case .read: jamjar_reach_read
      case .write: jamjar_reach_write
      }
    }
  }

  /// Bytes of memory of its own. The examination of a day with sixteen musicians needs about a quarter of it.
  private static let memory: UInt64 = 4 << 30
  /// Open files: two for every musician of a long day, and a few.
  private static let descriptors: UInt64 = 4_096
  /// Seconds of processor time that every piece of work may use.
  private static let leastTime: Int64 = 1_800
  /// Bytes of files for which it may use another second. An export reads some 10 MB in a second, a render 2 MB.
  private static let bytesPerSecond: Int64 = 65_536
  /// What the C library and libsndfile may look for while they work.
  static let system = ["/usr", "/lib", "/lib64", "/sys/devices/system/cpu"]
  /// What everybody may write to.
  static let devices = ["/dev/null", "/dev/urandom"]

  private let folders: [(folder: TakeFolder, reach: Reach)]

  /// - Parameter folders: the only folders that will be accessible. They must be open before: nothing above them is.
  package init(_ folders: [(folder: TakeFolder, reach: Reach)]) {
    self.folders = folders
  }

  /// Limits that a process takes on at its start: priority, memory, descriptors, no core dump, no new privileges.
  ///
  /// - Parameters:
  ///   - name: its name in process lists, which otherwise show the link that started it.
  ///   - niceness: amount by which its priority is below the service's.
  package static func begin(as name: String, niceness: Int32) {
    stay(as: name)
    // If memory runs out, this process goes first: its work can be repeated, music cannot.
    write("500", to: "/proc/self/oom_score_adj")
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    _ = jamjar_limit_process(memory, descriptors)
    _ = jamjar_renounce_privileges()
  }

  /// The part of it that gives nothing up: the name, and that the service ends its workers itself. A signal to the whole
  /// unit must not count as a fault of the work.
  static func stay(as name: String) {
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
    write(name, to: "/proc/self/comm")
  }

  /// Lowers the limits of memory, in bytes, and of open descriptors further.
  package static func limit(memory: UInt64, descriptors: UInt64) { _ = jamjar_limit_process(memory, descriptors) }

  /// Sets the limit of processor time, in seconds from now on.
  package static func limitTime(seconds: UInt64) { _ = jamjar_limit_processor_time(seconds) }

  /// Has the process end as soon as the other end of its socket is closed, whatever it does: the service is gone, or wants
  /// the work no longer. Copies of a template have no parent whose end would tell (prctl(2), `PR_SET_PDEATHSIG`).
  package static func end(with socket: LineSocket) { socket.endProcessWithOtherSide() }

  /// Restricts the process to the folders, and refuses it network, programs and whatever else no work on files needs.
  ///
  /// Ends the process if it has a second thread, which Landlock would leave out.
  package func enforce() {
    let threads = Confinement.threads
    guard threads == 1 || Confinement.hasSanitizer else {
      let sentence = "jamjar: a worker of \(threads) threads cannot be confined\n"
      _ = sentence.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
      _exit(EX_SOFTWARE)
    }
    // Its first version forbids every move between folders.
    let isMoving = folders.count { $0.reach == .write } > 1
    let rules = isMoving && jamjar_landlock_version() < 2 ? -1 : jamjar_landlock_begin(0)
    if rules >= 0 {
      var isWhole = true
      for (folder, reach) in folders where jamjar_landlock_permit(rules, folder.handle, reach.value) != 0 {
        isWhole = false
      }
      for path in Confinement.system { jamjar_landlock_permit_path(rules, path, jamjar_reach_read) }
      for path in Confinement.devices { jamjar_landlock_permit_path(rules, path, jamjar_reach_write) }
      // Rules without one of the folders would make the work fail.
      if isWhole { _ = jamjar_landlock_end(rules) }
      close(rules)
    }
    _ = jamjar_limit_system_calls(jamjar_every_thread, jamjar_rest_nothing)
    // Now, because it opens files.
    limitTime()
  }

  /// Sets the limit of processor time by the size of the files. To be repeated when they have grown.
  package func limitTime() {
    let size = folders.reduce(Int64(0)) { $0.addingReportingOverflow($1.folder.bytes).partialValue }
    let seconds = Confinement.leastTime + max(0, size) / Confinement.bytesPerSecond
    _ = jamjar_limit_processor_time(UInt64(seconds))
  }

  /// Threads of this process; 1 where nobody tells.
  private static var threads: Int {
    guard let folder = opendir("/proc/self/task") else { return 1 }
    defer { closedir(folder) }
    var entries = 0
    while readdir(folder) != nil { entries += 1 }
    // Without the folder itself and the one above.
    return max(1, entries - 2)
  }

  /// ThreadSanitizer has a thread of its own in every process.
  static var hasSanitizer: Bool { dlsym(nil, "__tsan_init") != nil }

  private static func write(_ text: String, to path: String) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    var text = text
    text.withUTF8 { _ = Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }
}
