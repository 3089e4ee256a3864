import Foundation
import Glibc
import Music
import NIOHTTP1
import Recording
import Signaling
import TestSupport
import Testing

extension Programs {
  /// Exports and alignments that end their process, or hang in it: they fail, and nothing else does.
  @Suite struct PoisonedJobTests {
    /// A data folder with a take whose first track hangs every worker process that opens it.
    private struct Poisoned {
      let folder: TemporaryFolder
      let take: TakeID
      let participant: ParticipantID
      /// The take's folder.
      let files: TakeFolder
      /// The environment of a service that is poisoned so.
      let environment: [String: String]

      /// Stands in the way of the workers' openat(2), because a file itself cannot do so: workers open no pipes.
      private static let source = """
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        static int is_worker;
        // A copy of the template has the template's words, but a name of its own, which its first thread bears.
        static void look(void) {
          char name[16] = {0};
          if (!is_worker && prctl(PR_GET_NAME, name) == 0) is_worker = strcmp(name, "jamjar-job") == 0;
        }
        int openat(int folder, const char *path, int flags, ...) {
          va_list rest;
          va_start(rest, flags);
          int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
          va_end(rest);
          const char *name = strrchr(path, '/');
          name = name ? name + 1 : path;
          const char *poison = getenv("POISON");
          look();
          while (is_worker && poison && strcmp(name, poison) == 0) pause();
          return (int)syscall(SYS_openat, folder, path, flags, mode);
        }
        int openat64(int, const char *, int, ...) __attribute__((alias("openat")));
        """

      init() async throws {
        folder = try await PlayedFolder.copy()
        let journal = try PlayedFolder.journal(in: folder)
        let root = folder.path + "/Recordings"
        files = try TakeFolder(
          existing: String(journal.dropFirst(root.count + 1).dropLast("/take.journal".count)), in: root)
        let manifest = try Manifest(of: files)
        let track = try #require(manifest.tracks.first)
        (take, participant) = (manifest.take.id, track.participant.id)
        let library = folder.path + "/poison.so"
        try Poisoned.source.write(toFile: library + ".c", atomically: true, encoding: .utf8)
        let compiler = try ChildProcess("cc", ["-shared", "-fPIC", "-o", library, library + ".c"])
        guard await compiler.exitStatus() == 0 else { throw EndToEndFailure("no poison:\n\(compiler.text)") }
        environment = ["LD_PRELOAD": library, "POISON": try #require(track.file)]
      }

      /// Requests a mix; its address.
      func export(from service: Service) async throws -> String {
        let answer = try await HTTP.send("POST", service.address + "/v1/takes/\(take)/exports", json: ["kind": "mix"])
        #expect(answer.status == 202)
        return try #require(answer.headers.first(name: "Location"))
      }

      /// Sends a backup of the poisoned track; its address.
      func backup(to service: Service) async throws -> String {
        let begun = try await HTTP.send(
          "POST", service.address + "/v1/takes/\(take)/backups",
          json: [
            "participant": .string(participant.description), "sampleRate": 48_000, "channels": 1, "format": "s24le",
          ])
        let backup = try #require(begun.headers.first(name: "Location"))
        let sent = try await HTTP.send(
          "PATCH", service.address + backup,
          headers: ["Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1"],
          body: String(repeating: "\0", count: 3 * 48_000 * 4))
        #expect(sent.status == 204)
        return backup
      }
    }

    private func state(_ path: String, _ service: Service) async throws -> String? {
      try await service.get(path).object?["state"]?.string
    }

    /// Kills every job's process until `isOver`; says how many it killed.
    private func kill(jobsOf service: Service, until isOver: () async throws -> Bool) async throws -> Int {
      var killed: Set<pid_t> = []
      let process = service.process
      try await eventually("the jobs are given up", or: { process.text }) {
        guard process.isRunning else { throw EndToEndFailure("the service ended:\n\(process.text)") }
        for job in service.jobs where killed.insert(job).inserted { Glibc.kill(job, SIGKILL) }
        return try await isOver()
      }
      return killed.count
    }

    @Test func aPoisonedExportAndAPoisonedBackupFailBesideARollingTake() async throws {
      let poisoned = try await Poisoned()
      let service = try await Service(
        ["--listening-ahead", "false"], folder: poisoned.folder, environment: poisoned.environment)
      // Its track has another name than the poisoned one.
      let sender = try await ToneSender("zoe", frequency: 440, in: "north", of: service)
      _ = try await service.rollingTake(in: "north", lasting: 1)
      try await eventually("the take has its process") { service.renders.count == 1 }
      let renders = service.renders

      let (export, backup) = (try await poisoned.export(from: service), try await poisoned.backup(to: service))
      try await eventually("both have their process, and it is confined") {
        let jobs = service.jobs
        return jobs.count == 2 && jobs.allSatisfy { Service.isConfined($0) }
      }
      let killed = try await kill(jobsOf: service) {
        let states = [try await state(export, service), try await state(backup, service)]
        return states == ["failed", "failed"]
      }
      #expect(killed == 6)
      for path in [export, backup] {
        let problem = try await service.get(path).object?["problem"]?.string
        #expect(problem == "its process was ended by signal 9; 3 attempts were in vain, and there is no other")
      }
      let kept = try #require(BackupID(String(backup.suffix(26))))
      #expect(poisoned.files.has(BackupFile.samplesName(of: kept)))

      // Another take of the service can be exported, and the one that rolls has noticed nothing.
      #expect(service.renders == renders)
      try await sender.end()
      let take = try await service.finishedTake(in: "north")
      #expect(take.state == "ready")
      let track = try #require(take.tracks.first)
      #expect(track.losses.isEmpty, "\(track.gaps.map(\.text))")
      let other = try await HTTP.send(
        "POST", service.address + "/v1/takes/\(take.id)/exports", json: ["kind": "mix", "format": "wav24"])
      let path = try #require(other.headers.first(name: "Location"))
      let process = service.process
      try await eventually("the other take is exported", or: { process.text }) {
        try await state(path, service) == "done"
      }
      #expect(await service.close() == 0)

      let next = try await Service(
        ["--listening-ahead", "false"], folder: poisoned.folder, environment: poisoned.environment)
      #expect(try await state(backup, next) == "failed")
      #expect(try await state(path, next) == "done")
      #expect(next.jobs.isEmpty)
      #expect(await next.close() == 0)
    }

    @Test func anExportEndsWithItsServiceWhoseEndIsNoAttempt() async throws {
      let poisoned = try await Poisoned()
      let killed = try await Service(
        ["--listening-ahead", "false"], folder: poisoned.folder, environment: poisoned.environment)
      let export = try await poisoned.export(from: killed)
      var job: pid_t?
      try await eventually("the export has its process") {
        job = killed.jobs.first
        return job != nil
      }
      let left = try #require(job)
      #expect(try Service.command(of: left) == "worker-template")
      killed.process.send(SIGKILL)
      _ = await killed.process.exitStatus()
      try await eventually("the process ends with its service") { !Service.isAlive(left) }

      let service = try await Service(
        ["--listening-ahead", "false"], folder: poisoned.folder, environment: poisoned.environment)
      // It is not listed before the service has looked for it.
      let count = try await kill(jobsOf: service) { (try? await state(export, service)) == "failed" }
      #expect(count == 3)
      #expect(await service.close() == 0)
    }
  }
}
