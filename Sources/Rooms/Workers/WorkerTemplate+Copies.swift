import CLinux
import Foundation
import Glibc
import Machines
import Music
import Recording

/// The other end of it.
extension WorkerTemplate {
  /// The command that runs it.
  package static let command = "worker-template"

  /// Makes a copy of this process for each descriptor that comes, until the service is gone; each copy does one piece of work.
  ///
  /// The template has one thread, reads nothing but the service's numbers, and opens nothing that belongs to anybody. A
  /// copy confines itself like any worker.
  ///
  /// - Parameters:
  ///   - control: where numbers and descriptors come from, and where copies tell their identifiers.
  ///   - job: does a job, in a copy.
  /// - Throws: as `RenderKeeper.run(on:niceness:)` and `job`, in a copy.
  package static func serve(on control: Int32, job: (LineSocket) throws -> Void) throws {
    Confinement.stay(as: "jamjar-template")
    warmUp()
    var (number, descriptor): (Int32, Int32) = (0, -1)
    while jamjar_receive_number(control, &number, &descriptor) == 1 {
      guard descriptor >= 0 else { continue }
      let copy = jamjar_fork_sibling()
      if copy == 0 {
        // By itself, and before it lets go of the socket: the service hears of every copy that exists.
        _ = jamjar_send_number(control, getpid(), -1)
        // Both ends of the control socket go with these: it stood in for standard input and output.
        dup2(descriptor, STDIN_FILENO)
        dup2(descriptor, STDOUT_FILENO)
        close(descriptor)
        setpgid(0, 0)
        let socket = LineSocket(owning: STDIN_FILENO)
        switch Work(number: number) {
        case .render(let niceness): return try RenderKeeper.run(on: socket, niceness: niceness)
        case .job: return try job(socket)
        }
      }
      close(descriptor)
      if copy < 0 { _ = jamjar_send_number(control, copy, -1) }
    }
  }

  /// What every render begins with: its tables, and the words between it and the service. Whatever is missing here is
  /// made by each copy for itself.
  private static func warmUp() {
    _ = RenderStamp.current
    _ = Resampler()
    guard let room = RoomName("template") else { return }
    let time = WallTime(milliseconds: 0)
    let take = Take(
      id: TakeID(at: time), number: 1, room: room, session: SessionID(at: time), startedAt: time, folder: "template")
    let order = RenderOrder(take: take, root: "", folder: "", options: RenderOptions())
    let coder = (JSONEncoder(), JSONDecoder())
    for _ in 0..<2 {
      _ = try? coder.1.decode(RenderOrder.self, from: coder.0.encode(order))
      _ = try? coder.1.decode(RenderOrder.Word.self, from: coder.0.encode(RenderOrder.Word.follow))
      _ = try? coder.0.encode(RenderOrder.Answer.finished(notes: []))
    }
  }
}
