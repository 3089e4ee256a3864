import Foundation
import Testing

/// What is shipped and how it is confined, as far as files say it; `packaging/test` runs the package, on request.
@Suite struct PackagingTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: SourceTree.root.appending(path: path), encoding: .utf8)
  }

  private func lines(_ path: String) throws -> [String] {
    try text(path).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func everyPackageHasAnExactVersionWhichTheListRepeats() throws {
    let versions = try Set(lines("script/versions.txt").filter { !$0.hasPrefix("#") })
    let named = try lines("Package.swift").filter { $0.hasPrefix(".package(url:") }
    #expect(!named.isEmpty)
    for line in named {
      let match = try #require(try #/url: ".*/([^/"]+)", exact: "([^"]+)"/#.firstMatch(in: line), "\(line)")
      #expect(versions.contains("\(match.1.lowercased()) \(match.2)"), "\(line)")
    }
    #expect(try text("script/test").contains("script/sbom --check"))
  }

  @Test func everyContainerIsConfined() throws {
    let compose = try text("docker/compose.yaml")
    let halves = compose.split(separator: "\nservices:\n").map(String.init)
    try #require(halves.count == 2)
    for rule in ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"] {
      #expect(halves[0].contains("  \(rule)") || halves[0].contains("\"\(rule)\""), "\(rule)")
    }
    let ends = try #require(halves[1].firstRange(of: "\nvolumes:\n"))
    // A service begins with its name, two spaces in.
    let services = halves[1][..<ends.lowerBound].split(separator: #/(?m)^  (?=[a-z]+:$)/#)
    #expect(services.count == 3)
    for service in services {
      for rule in ["<<: *hardened", "pids_limit:", "mem_limit:", "tmpfs:"] {
        #expect(service.contains("    \(rule)"), "\(rule) is missing: \(service)")
      }
      #expect(!service.contains("privileged:"))
    }
    let images = compose.matches(of: #/image: (\S+)/#).map(\.1)
    #expect(images.count == 2)
    for image in images { #expect(image.contains(#/:\d+\.\d+\.\d+$/#), "\(image) has no whole version") }
  }

  @Test func theImageHasVersionsAnUnprivilegedUserAndAFirstProcessThatWaits() throws {
    let file = try lines("docker/Dockerfile")
    let bases = file.filter { $0.hasPrefix("ARG ") }
    #expect(bases.count == 2)
    for base in bases { #expect(base.contains(#/:(\d+\.\d+\.\d+|[a-z]+-\d{8})/#), "\(base) has no version") }
    #expect(file.contains("USER jamjar"))
    #expect(file.contains("ENTRYPOINT [\"entrypoint\"]"))
    #expect(file.contains { $0.hasPrefix("HEALTHCHECK ") })
    #expect(!file.contains { $0.contains("curl") })
  }

  @Test func theUnitIsConfinedAndLetsRenderProcessesFinish() throws {
    let unit = try Set(lines("packaging/jamjar.service"))
    for rule in [
      "Type=notify", "User=jamjar", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict",
      "ProtectHome=yes", "PrivateTmp=yes", "PrivateDevices=yes", "SystemCallFilter=@system-service",
      "RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX", "StateDirectory=jamjar", "StateDirectoryMode=0750",
      "UMask=0027", "KillMode=control-group", "OOMPolicy=continue", "Restart=on-failure", "WatchdogSignal=SIGTERM",
    ] {
      #expect(unit.contains(rule), "\(rule)")
    }
    for name in ["MemoryMax", "LimitNOFILE", "TimeoutStopSec", "WatchdogSec", "TasksMax"] {
      #expect(unit.contains { $0.hasPrefix("\(name)=") }, "\(name)")
    }
  }
}
