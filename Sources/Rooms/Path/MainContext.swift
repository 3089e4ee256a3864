import CLinux
import CNice
import Machines
import Recording

/// A separate GMainContext for one ICE agent, served by the media loop's epoll.
///
/// A single context for all agents would poll every socket of the process for every packet, so a musician would cost
/// more the more rooms there are. With one context per agent, a packet only costs the polling of its own few sockets.
///
/// It performs the four steps of `g_main_context_iteration` manually: prepare and query after every change, check and
/// dispatch when epoll reports a readable descriptor or the time-out has passed.
final class MainContext: LoopSource {
  let pointer: OpaquePointer
  private let loop: MediaLoop
  private var id: MediaLoop.SourceID?
  private var priority: gint = 0
  private var polled: [GPollFD] = []
  private var watched: Set<Int32> = []
  /// Those of `watched` that carry datagrams; TURN over TCP has others.
  private var datagramSockets: Set<Int32> = []
  /// True once the agent's peer is connected: what comes then is mostly music.
  var isMedia = false
  /// Called for a socket of datagrams before GLib; returns the arrival of the datagram that it read, nil if it read none.
  var intercept: (Int32) -> MonotonicTime? = { _ in nil }
  /// The socket of the pair that is selected, or was last.
  var selected: Int32?
  /// What lies in the selected socket, and in all.
  private var former = Backlog(), unread = Backlog()
  /// The descriptor that GLib reads at present; the kernel keeps the stamps of its datagrams.
  private(set) var reading: Int32?
  /// When GLib's next time-out was due at the last `refresh`.
  private var due: MonotonicTime?
  /// More is a standstill of the loop, in which the peer may have answered or not.
  private static let standstill = MonotonicTime.Span.seconds(2)
  /// True while GLib serves a time-out that was due long ago.
  private(set) var isLate = false
  /// To be called once, when GLib's own code has run.
  var afterwards: (() -> Void)?
  /// True while GLib's own code runs: a callback may close the agent, and with it this context.
  private var isDispatching = false

  init(loop: MediaLoop) {
    self.loop = loop
    pointer = g_main_context_new()
    // The loop's thread owns it permanently, so that sources added on this thread wake nobody.
    g_main_context_acquire(pointer)
    id = loop.add(self)
  }

  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) -> MonotonicTime? {
    if isBehindSelected(descriptor) { return MonotonicTime(nanoseconds: .min) }
    if datagramSockets.contains(descriptor), let arrival = intercept(descriptor) { return arrival }
    for index in polled.indices { polled[index].revents = polled[index].fd == descriptor ? 1 : 0 }  // G_IO_IN
    // GLib reads all that waits, a musician's packets behind one STUN message too, and passes no stamps on.
    jamjar_keep_stamps(descriptor)
    reading = descriptor
    dispatch()
    reading = nil
    // GLib does not say how much it read, and a datagram's arrival is known only once it is read.
    guard id != nil, watched.contains(descriptor) else { return nil }
    jamjar_stamp_datagrams(descriptor)
    guard jamjar_is_readable(descriptor) != 0 else { return nil }
    return MonotonicTime(nanoseconds: .min)
  }

  /// True if the selected socket is to be read before `descriptor`.
  ///
  /// A browser that gets no answers for some seconds, because the recorder stands still, sends on another pair. If the
  /// packets there were read first, those before them would be reported as lost and requested again. The browser would
  /// prepare its encoder for losses, and the music would be another afterwards.
  private func isBehindSelected(_ descriptor: Int32) -> Bool {
    guard let selected, selected != descriptor, datagramSockets.contains(selected) else { return false }
    return former.mustBeRead(from: jamjar_next_stamp(selected), at: MonotonicClock.reading)
  }

  /// True if the sockets are to be read before libnice looks at the time: what proves that the peer is there may lie in
  /// them.
  private var isBehindSockets: Bool {
    let stamps = datagramSockets.map { jamjar_next_stamp($0) }.filter { $0 > 0 }
    return unread.mustBeRead(from: stamps.min() ?? 0, at: MonotonicClock.reading)
  }

  func deadlineReached(at now: MonotonicTime) {
    if let id, isBehindSockets { return loop.wake(id, by: now + .milliseconds(1)) }
    for index in polled.indices { polled[index].revents = 0 }
    dispatch()
  }

  private func dispatch() {
    guard !isDispatching else { return }
    isDispatching = true
    isLate = due.map { MonotonicClock.now - $0 > MainContext.standstill } ?? false
    if polled.withUnsafeMutableBufferPointer({
      g_main_context_check(pointer, priority, $0.baseAddress, gint($0.count))
    }) != 0 {
      g_main_context_dispatch(pointer)
    }
    (isDispatching, isLate) = (false, false)
    let afterwards = afterwards
    self.afterwards = nil
    afterwards?()
    refresh()
  }

  /// Queries again what GLib waits for; to be called after every call into the agent.
  func refresh() {
    guard let id, !isDispatching else { return }
    g_main_context_prepare(pointer, &priority)
    var timeout: gint = -1
    var count = polled.withUnsafeMutableBufferPointer {
      g_main_context_query(pointer, priority, &timeout, $0.baseAddress, gint($0.count))
    }
    while Int(count) > polled.count {
      polled = Array(repeating: GPollFD(), count: Int(count))
      count = polled.withUnsafeMutableBufferPointer {
        g_main_context_query(pointer, priority, &timeout, $0.baseAddress, gint($0.count))
      }
    }
    if Int(count) < polled.count { polled.removeLast(polled.count - Int(count)) }
    if polled.count != watched.count || !polled.allSatisfy({ watched.contains($0.fd) }) {
      let wanted = Set(polled.map(\.fd))
      for descriptor in watched.subtracting(wanted) { loop.unwatch(descriptor) }
      for descriptor in wanted.subtracting(watched) {
        // A browser may go to any of them while the recorder stands still.
        if jamjar_is_datagram_socket(descriptor) != 0 {
          datagramSockets.insert(descriptor)
          ReceiveBuffer.enlarge(of: descriptor)
          jamjar_stamp_datagrams(descriptor)
        }
        loop.watch(descriptor, for: id)
      }
      watched = wanted
      datagramSockets.formIntersection(wanted)
    }
    guard timeout >= 0 else { return due = nil }
    let next = MonotonicClock.now + .milliseconds(Int64(timeout))
    due = timeout > 0 ? next : min(due ?? next, next)
    loop.wake(id, by: next)
  }

  func close() {
    guard let id else { return }
    self.id = nil
    intercept = { _ in nil }
    afterwards = nil
    loop.remove(id)
    g_main_context_release(pointer)
  }

  deinit {
    g_main_context_unref(pointer)
  }
}
