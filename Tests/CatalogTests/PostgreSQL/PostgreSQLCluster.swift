import Foundation
import Synchronization
import TestSupport

@testable import Catalog

/// A PostgreSQL of this test process, in a temporary folder and on a socket there; it ends with the process.
final class PostgreSQLCluster: Sendable {
  /// Started by the first test that needs it.
  static let shared = Task { try await PostgreSQLCluster() }

  private let folder: String
  /// Its end is what the server's keeper waits for, however the process ends.
  private let life: Pipe
  private let count = Atomic(0)

  /// `initdb` refuses to run as root.
  private static let keeper = """
    set -e
    cd /
    bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
    [ -n "$bin" ] || { echo 'no PostgreSQL; script/bootstrap --test installs it'; exit 1; }
    as=
    if [ "$(id -u)" = 0 ]; then
      chown nobody "$1"
      as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
    fi
    $as "$bin/initdb" -A trust -U jamjar -E UTF8 --locale=C -N -D "$1/data" >"$1/initdb.log" 2>&1
    # Beside other tests a connection may be served after its minute.
    $as "$bin/postgres" -D "$1/data" -F -k "$1" -c listen_addresses= -c max_connections=200 \\
      -c authentication_timeout=600 \\
      >"$1/server.log" 2>&1 </dev/null &
    server=$!
    until "$bin/pg_isready" -q -h "$1"; do
      kill -0 "$server"
      sleep 0.1
    done
    echo ready
    read -r end || true
    kill -QUIT "$server"
    wait "$server" || true
    rm -rf "$1"
    """

  private init() async throws {
    folder = NSTemporaryDirectory() + "jamjar-pg-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (input, output) = (Pipe(), Pipe())
    life = input
    _ = try SpawnedProgram(
      "/bin/sh", ["-c", PostgreSQLCluster.keeper, "sh", folder], input: input.fileHandleForReading.fileDescriptor,
      output: output.fileHandleForWriting.fileDescriptor)
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    let handle = output.fileHandleForReading
    let word = await withCheckedContinuation { continuation in
      // Blocks until the server answers, or its keeper ends.
      DispatchQueue.global().async {
        continuation.resume(returning: String(decoding: handle.availableData, as: UTF8.self))
      }
    }
    guard word.hasPrefix("ready") else { throw NoCluster(reason: word) }
  }

  struct NoCluster: Error {
    var reason: String
  }

  /// The address of a database.
  func address(of name: String) throws -> PostgreSQLAddress {
    try PostgreSQLAddress("postgresql:///\(name)?host=\(folder)&user=jamjar")
  }

  /// Makes an empty database and returns its address.
  func database() async throws -> PostgreSQLAddress {
    let name = "test\(count.add(1, ordering: .relaxed).newValue)"
    try await administer("postgres", "CREATE DATABASE \(name)")
    return try address(of: name)
  }

  /// Runs a statement without Jamjar's index.
  func administer(_ name: String, _ sql: String) async throws {
    try await administer(try address(of: name), sql)
  }

  func administer(_ address: PostgreSQLAddress, _ sql: String) async throws {
    let lane = PostgreSQLLane("test") { try PostgreSQLConnection(address) }
    defer { lane.close() }
    try await lane.run { try $0.open().run(sql) }
  }
}
