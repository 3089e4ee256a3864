import Client
import Music
import Server
import Testing

@testable import jamjar

/// What is said about certificates: for clients that refuse them, and by the doctor.
@Suite struct CertificateCheckTests {
  private static func time(_ text: String) throws -> WallTime { try #require(WallTime(text)) }
  private static func soon() throws -> WallTime { try time("2027-01-01T00:00:00Z") }

  private static func faults(
    _ chain: [[UInt8]], host: String = "studio.example", at now: String = "2027-01-01T00:00:00Z",
    trusted text: String = TestChain.root
  ) throws -> [CertificateFault] {
    let now = try time(now)
    return try TestChain.withFile(text) { CertificateFault.all(of: chain, host: host, at: now, trust: $0) }
  }

  @Test func readsWhatACertificateSays() throws {
    let certificate = try #require(ServerCertificate(try TestChain.chain(TestChain.server)[0]))
    #expect(certificate.names == ["studio.example", "*.band.example", "192.0.2.7"])
    #expect((certificate.subject, certificate.issuer) == ("studio.example", "Test Between"))
    #expect(certificate.notAfter.day == "2126-10-31" && !certificate.isSelfIssued)
    #expect(ServerCertificate(Array("no certificate".utf8)) == nil && ServerCertificate([]) == nil)
  }

  @Test(arguments: ["studio.example", "ada.band.example", "192.0.2.7", "STUDIO.example"])
  func aWholeChainOfATrustedAuthorityIsTrusted(_ host: String) throws {
    #expect(try Self.faults(try TestChain.chain(TestChain.server, TestChain.between), host: host) == [])
  }

  @Test(arguments: ["studio.example.org", "band.example", "192.0.2.8", "a.b.band.example"])
  func anotherNameIsForeign(_ host: String) throws {
    let faults = try Self.faults(try TestChain.chain(TestChain.server, TestChain.between), host: host)
    #expect(faults == [.foreignName(asked: host, names: ["studio.example", "*.band.example", "192.0.2.7"])])
  }

  @Test func datesCount() throws {
    let chain = try TestChain.chain(TestChain.server, TestChain.between)
    let late = try Self.faults(chain, at: "2127-01-01T00:00:00Z")
    #expect(late.count == 1 && late.first?.sentence == "its certificate expired on 2126-10-31")
    let early = try Self.faults(chain, at: "2026-01-01T00:00:00Z")
    #expect(early.count == 1)
    guard case .notYetValid = early.first else {
      Issue.record("\(early)")
      return
    }
  }

  @Test func aChainWithoutItsMiddleAndAnAuthorityOfStrangersAreUnknown() throws {
    let alone = try TestChain.chain(TestChain.server)
    #expect(try Self.faults(alone) == [.unknownAuthority("Test Between")])
    let whole = try TestChain.chain(TestChain.server, TestChain.between)
    #expect(try Self.faults(whole, trusted: TestChain.selfSigned) == [.unknownAuthority("Test Authority")])
  }

  @Test func aCertificateThatSignsItselfIsTrustedOnlyByName() throws {
    let chain = try TestChain.chain(TestChain.selfSigned)
    #expect(try Self.faults(chain, host: "laptop.lan") == [.selfSigned])
    #expect(try Self.faults(chain, host: "laptop.lan", trusted: TestChain.selfSigned) == [])
  }

  /// A client's sentence names what is wrong, and an option that helps.
  @Test func aSentenceSaysWhichOptionHelps() throws {
    func sentence(_ fault: CertificateFault) -> String { Unreachable.sentence([fault], place: "https://x") }
    #expect(sentence(.selfSigned).contains("--ca-file FILE"))
    #expect(sentence(.expired(try Self.soon())).contains("expired on 2027-01-01; it has to be renewed"))
    #expect(
      sentence(.foreignName(asked: "x", names: ["y"])).contains("is for y and not for x; use a name that it is for"))
    for fault in [CertificateFault.selfSigned, .expired(try Self.soon()), .unknownAuthority("A")] {
      #expect(sentence(fault).contains("--insecure-tls") && !sentence(fault).contains("\n"))
    }
  }

  // MARK: The doctor

  private static func findings(_ faults: [CertificateFault], at now: String) throws -> [Finding] {
    let certificate = try #require(ServerCertificate(try TestChain.chain(TestChain.server)[0]))
    return CertificateCheck.findings(certificate, faults, of: "chain.pem", at: try time(now))
  }

  @Test func theDoctorCountsTheDays() throws {
    let fine = try Self.findings([], at: "2126-10-01T00:00:00Z")
    #expect(fine.map(\.level) == [.ok] && fine[0].sentence.contains("for 30 more days"))
    let soon = try Self.findings([], at: "2126-10-25T00:00:00Z")
    #expect(soon.map(\.level) == [.warning] && soon[0].sentence.contains("expires in 6 days, on 2126-10-31"))
    #expect(soon[0].remedy != nil)
  }

  @Test func everyFaultHasALevelAndARemedy() throws {
    let now = try Self.soon()
    let levels: [(CertificateFault, Finding.Level)] = [
      (.expired(now), .failure), (.notYetValid(now), .failure), (.foreignName(asked: "x", names: []), .failure),
      (.selfSigned, .warning), (.unknownAuthority("A"), .failure), (.other("words"), .failure),
    ]
    for (fault, level) in levels {
      let findings = try Self.findings([fault], at: "2027-01-01T00:00:00Z")
      #expect(findings.map(\.level) == [level], "\(fault)")
      #expect(findings.first?.remedy != nil, "\(fault)")
    }
  }

  @Test func aKeyOfAnotherCertificateIsFound() throws {
    let problem = try TestChain.withFile(TestChain.server) { certificate in
      try TestChain.withFile(TestChain.selfSignedKey) { ServerCertificate.problem(certificate: certificate, key: $0) }
    }
    #expect(problem == "the key is not the one of this certificate")
    let fits = try TestChain.withFile(TestChain.selfSigned) { certificate in
      try TestChain.withFile(TestChain.selfSignedKey) { ServerCertificate.problem(certificate: certificate, key: $0) }
    }
    #expect(fits == nil)
    #expect(ServerCertificate.problem(certificate: "/nowhere", key: "/nowhere")?.contains("cannot be read") == true)
  }
}
