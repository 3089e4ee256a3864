import CNice
import Machines
import Recording

/// A GMainContext of its own for one ICE agent, served by the media loop's epoll.
///
/// One context for all agents would poll every socket of the process at every packet, so that a musician would cost more
/// the more rooms there are. With one context an agent, a packet costs what its own few sockets cost.
///
/// It does the four steps of `g_main_context_iteration` by hand: prepare and query after every change, check and
/// dispatch when epoll says that a descriptor is readable or the time-out has passed.
final class MainContext: LoopSource {
  let pointer: OpaquePointer
  private let loop: MediaLoop
  private var id: MediaLoop.SourceID?
  private var priority: gint = 0
  private var polled: [GPollFD] = []
  private var watched: Set<Int32> = []
  /// Sees a descriptor before GLib does; true means that it took what was there.
  var intercept: (Int32, MonotonicTime) -> Bool = { _, _ in false }
  /// True while GLib's own code runs: it may close the agent, and with it this context, from a callback.
  private var isDispatching = false

  init(loop: MediaLoop) {
    self.loop = loop
    pointer = g_main_context_new()
    // The loop's thread owns it for good, so that sources added on this thread do not wake anybody.
    g_main_context_acquire(pointer)
    id = loop.add(self)
  }

  func descriptorReady(_ descriptor: Int32, at now: MonotonicTime) {
    if intercept(descriptor, now) { return }
    for index in polled.indices { polled[index].revents = polled[index].fd == descriptor ? 1 : 0 }  // G_IO_IN
    dispatch()
  }

  func deadlineReached(at now: MonotonicTime) {
    for index in polled.indices { polled[index].revents = 0 }
    dispatch()
  }

  private func dispatch() {
    guard !isDispatching else { return }
    isDispatching = true
    if polled.withUnsafeMutableBufferPointer({
      g_main_context_check(pointer, priority, $0.baseAddress, gint($0.count))
    }) != 0 {
      g_main_context_dispatch(pointer)
    }
    isDispatching = false
    refresh()
  }

  /// Asks GLib anew what it waits for; to be called after every call into the agent.
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
      for descriptor in wanted.subtracting(watched) { loop.watch(descriptor, for: id) }
      watched = wanted
    }
    if timeout >= 0 { loop.wake(id, by: MonotonicClock.now + .milliseconds(Int64(timeout))) }
  }

  func close() {
    guard let id else { return }
    self.id = nil
    intercept = { _, _ in false }
    loop.remove(id)
    g_main_context_release(pointer)
  }

  deinit {
    g_main_context_unref(pointer)
  }
}
