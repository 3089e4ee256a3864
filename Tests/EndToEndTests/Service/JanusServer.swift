import Foundation
import Glibc
import TestSupport

/// Debian's Janus with a VideoRoom and an AudioBridge, as a child process.
final class JanusServer: Sendable {
  static let videoRoom = 1_234
  static let audioBridge = 5_678
  /// A VideoRoom for one publisher.
  static let solo = 1_001
  /// A room that there is not.
  static let none = 99

  let port: UInt16
  /// That of its API over HTTP.
  let webPort: UInt16
  private let folder: TemporaryFolder
  private let process: ChildProcess

  /// - Parameter port: that of a server before it, or a free one.
  init(port given: UInt16? = nil) async throws {
    let port = try given ?? Service.freePort()
    let folder = try TemporaryFolder()
    let webPort = try Service.freePort()
    for (name, text) in JanusServer.files(port: port, webPort: webPort, folder: folder.path) {
      try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
    }
    let process = try ChildProcess(
      "nice", PythonPeer.asMusicians + ["janus", "-F", folder.path, "-C", "\(folder.path)/janus.jcfg"])
    (self.port, self.webPort, self.folder, self.process) = (port, webPort, folder, process)
    guard await process.line(where: { $0.contains("WebSockets thread started") }) != nil else {
      throw EndToEndFailure("Janus did not start:\n\(process.text)")
    }
  }

  var address: String { "ws://127.0.0.1:\(port)/" }
  var webAddress: String { "http://127.0.0.1:\(webPort)/janus" }

  func end() async { await process.terminate() }

  /// Ends it without a goodbye to anybody.
  func kill() async {
    process.send(SIGKILL)
    _ = await process.exitStatus()
  }

  private static func files(port: UInt16, webPort: UInt16, folder: String) -> [(String, String)] {
    let root = "/usr/lib/x86_64-linux-gnu/janus"
    let unused = [
      "duktape", "echotest", "lua", "nosip", "recordplay", "sip", "streaming", "textroom", "videocall", "voicemail",
    ].map { "libjanus_\($0).so" }.joined(separator: ",")
    let transports = ["mqtt", "nanomsg", "pfunix", "rabbitmq"].map { "libjanus_\($0).so" }
      .joined(separator: ",")
    let main = """
      general: { configs_folder = "\(folder)" plugins_folder = "\(root)/plugins" transports_folder = "\(root)/transports" }
      plugins: { disable = "\(unused)" }
      transports: { disable = "\(transports)" }

      """
    return [
      ("janus.jcfg", main),
      ("janus.transport.websockets.jcfg", "general: { ws = true ws_port = \(port) ws_ip = \"127.0.0.1\" }\n"),
      ("janus.transport.http.jcfg", "general: { http = true port = \(webPort) ip = \"127.0.0.1\" }\n"),
      (
        "janus.plugin.videoroom.jcfg",
        """
        room-\(videoRoom): { description = "Jam" publishers = 6 audiocodec = "opus" }
        room-\(solo): { publishers = 1 audiocodec = "opus" }

        """
      ),
      (
        "janus.plugin.audiobridge.jcfg",
        "room-\(audioBridge): { description = \"Mix\" sampling_rate = 48000 }\n"
      ),
    ]
  }
}
