import Testing

@testable import Server

@Suite struct OriginPolicyTests {
  @Test(arguments: [
    ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("0:0:0:0:0:0:0:1", true), ("localhost", true),
    ("studio.localhost", true), ("LOCALHOST", true), ("0.0.0.0", false), ("::", false), ("192.168.1.2", false),
    ("localhost.example.com", false), ("127.0.0.1.example.com", false), ("127.example.com", false), ("", false),
  ])
  func knowsLoopback(host: String, isLoopback: Bool) {
    #expect(HostName(host).isLoopback == isLoopback)
  }

  @Test(arguments: [
    ("example.com:8080", "example.com"), ("example.com", "example.com"), ("[::1]:8080", "::1"), ("[::1]", "::1"),
    ("127.0.0.1:1", "127.0.0.1"),
  ])
  func readsAuthorities(authority: String, host: String) {
    #expect(HostName(authority: authority)?.text == host)
  }

  @Test(arguments: ["", ":8080", "[::1", "[]:80"])
  func refusesAuthoritiesWithoutAHost(authority: String) {
    #expect(HostName(authority: authority).map(\.text) != authority || authority.isEmpty)
    #expect(HostName(authority: authority)?.isLoopback != true)
  }

  @Test(arguments: [
    (nil, "localhost:8080", true), ("http://localhost:3000", "localhost:8080", true), ("file://", "127.0.0.1", true),
    ("http://[::1]:3000", "localhost", true),
    // Somebody's page that talks to this machine.
    ("https://evil.example", "localhost:8080", false), ("null", "localhost:8080", false),
    ("http://localhost.evil.example", "localhost", false),
    // Somebody's name that was pointed at this machine (DNS rebinding).
    (nil, "evil.example:8080", false), ("http://evil.example:8080", "evil.example:8080", false),
  ])
  func keepsOtherPagesAwayWhereNoKeysDo(origin: String?, authority: String, isAllowed: Bool) {
    let policy = OriginPolicy(mode: .thisMachine)
    #expect((policy.objection(to: origin, authority: authority) == nil) == isAllowed)
  }

  @Test func letsItsOwnPagesInWhereItIsInsecureAndAnyPageWhereItHasKeys() {
    let own = OriginPolicy(mode: .ownPages, names: [HostName("studio.lan")])
    #expect(own.objection(to: "http://studio.lan:8080", authority: "studio.lan:8080") == nil)
    #expect(own.objection(to: "http://evil.example", authority: "studio.lan:8080") != nil)
    #expect(own.objection(to: "http://192.168.1.2:8080", authority: "192.168.1.2:8080") == nil)
    #expect(own.objection(to: nil, authority: "[fe80::1]:8080") == nil)
    #expect(own.objection(to: nil, authority: "localhost") == nil)
    #expect(OriginPolicy(mode: .anyPage).objection(to: "https://evil.example", authority: "x") == nil)
  }

  /// A foreign page whose name was pointed at this machine sends that name as Host and as Origin.
  @Test func aNameThatIsNotOursIsRefusedWhereNoKeysAre() throws {
    let open = ServerConfiguration(host: "0.0.0.0", insecure: true, recordings: "x").originPolicy
    #expect(open.objection(to: "http://evil.example:8080", authority: "evil.example:8080") != nil)
    #expect(open.objection(to: nil, authority: "evil.example") != nil)
    for name in HostName.ofThisMachine { #expect(open.objection(to: nil, authority: "\(name.text):8080") == nil) }
    var named = ServerConfiguration(host: "0.0.0.0", insecure: true, recordings: "x")
    named.hostNames = ["Studio.Example"]
    #expect(named.originPolicy.objection(to: "http://studio.example", authority: "studio.example") == nil)
  }

  @Test(arguments: [(nil, true), ("none", true), ("same-origin", true), ("same-site", false), ("cross-site", false)])
  func onlyOwnPagesAndProgramsChangeThingsByGET(site: String?, isAllowed: Bool) {
    for mode in [OriginPolicy.Mode.anyPage, .thisMachine, .ownPages] {
      let policy = OriginPolicy(mode: mode)
      let fetch = OriginPolicy.Fetch(site: site)
      #expect((policy.objection(to: fetch, authority: "localhost", changes: true) == nil) == isAllowed)
      // With keys a page of any origin may read what its token opens.
      #expect(
        (policy.objection(to: fetch, authority: "localhost", changes: false) == nil) == (isAllowed || mode == .anyPage))
    }
  }

  /// To `http://192.168.1.2` browsers send no `Sec-Fetch-Site`, and a page may keep them from sending a `Referer`.
  @Test(arguments: [
    (nil, false), ("http://evil.example/page", false), ("http://192.168.1.2.evil.example/", false),
    ("http://evil.example/?http://192.168.1.2:8080/", false), ("http://192.168.1.2:8080", true),
    ("http://192.168.1.2:8080/rooms/den?x#y", true),
  ])
  func aBrowserWithoutFetchMetadataHasToNameItsPage(referrer: String?, isAllowed: Bool) {
    let open = OriginPolicy(mode: .ownPages)
    let image = OriginPolicy.Fetch(referrer: referrer, agent: "Mozilla/5.0 (X11; Linux x86_64)")
    #expect((open.objection(to: image, authority: "192.168.1.2:8080", changes: true) == nil) == isAllowed)
    // What changes nothing cannot be read by the page; programs do not obey pages; with keys the token has to be known.
    #expect(open.objection(to: image, authority: "192.168.1.2:8080", changes: false) == nil)
    let program = OriginPolicy.Fetch(referrer: referrer, agent: "curl/8.5.0")
    #expect(open.objection(to: program, authority: "192.168.1.2:8080", changes: true) == nil)
    #expect(OriginPolicy(mode: .anyPage).objection(to: image, authority: "x", changes: true) == nil)
  }
}
