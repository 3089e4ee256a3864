import Client
import Foundation
import Testing

/// Real certificates that guard nothing: an authority, one between, and a server's for studio.example, *.band.example
/// and 192.0.2.7; beside them one that signs itself. All valid from November 2026 to October 2126.
enum TestChain {
  static let root = """
    -----BEGIN CERTIFICATE-----
    MIIBiTCCAS+gAwIBAgIUD9VnwFt2d3EbNVhRx7CX57bjFnUwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTI0MTgzOTA5WhgPMjEy
    NjEwMzExODM5MDlaMBkxFzAVBgNVBAMMDlRlc3QgQXV0aG9yaXR5MFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAE6IuyMFLhxP9WRgpnxro2mw3lj5f4aiMc08TPraGz
    aoXz2wX631nSfcQOL0OuvRyOFnQAVvUPCdYFGZ7tJKpj46NTMFEwHQYDVR0OBBYE
    FMwaXP8IBdgXtLmbr2PAbqTousqnMB8GA1UdIwQYMBaAFMwaXP8IBdgXtLmbr2PA
    bqTousqnMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgNWTGO3P4
    jQVxPH2jnmXmvCszIQPMXBUQzWpdZSx8j9wCIQDUPGttbVe6MQ7ykHOKVcNGptLj
    KNeegjke7x9D8Rpsgg==
    -----END CERTIFICATE-----

    """

  static let between = """
    -----BEGIN CERTIFICATE-----
    MIIBljCCAT2gAwIBAgIUNWzC+1KOlBSR+j2lrT3KTUE97LgwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTI0MTgzOTA5WhgPMjEy
    NjEwMzExODM5MDlaMBcxFTATBgNVBAMMDFRlc3QgQmV0d2VlbjBZMBMGByqGSM49
    AgEGCCqGSM49AwEHA0IABFlrCjOFc4lsciAAZH4cNnlBGuobL4HV+PNWJKj2LY4g
    rTWSZdyVqZb6T2JvDYzzLd+d4lZggWfFlK6astNlRNSjYzBhMA8GA1UdEwEB/wQF
    MAMBAf8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBR+AlHpehuA7UXP6bQ7lZB4
    Xs1S4jAfBgNVHSMEGDAWgBTMGlz/CAXYF7S5m69jwG6k6LrKpzAKBggqhkjOPQQD
    AgNHADBEAiAThN/y3OtGWzTvrUL86kzot5/n4z3IAJheEfL17IBDtQIgAn6kz6mv
    p+HxuxSasS9ENmd6LSlrz+DyFPqvvtIjE6Y=
    -----END CERTIFICATE-----

    """

  static let server = """
    -----BEGIN CERTIFICATE-----
    MIIBvjCCAWSgAwIBAgIUHieepbjIHWrmV5gz3Iomh50x7C4wCgYIKoZIzj0EAwIw
    FzEVMBMGA1UEAwwMVGVzdCBCZXR3ZWVuMCAXDTI2MTEyNDE4MzkwOVoYDzIxMjYx
    MDMxMTgzOTA5WjAZMRcwFQYDVQQDDA5zdHVkaW8uZXhhbXBsZTBZMBMGByqGSM49
    AgEGCCqGSM49AwEHA0IABBizCiYqsQEq81FShBllkb8zDLTFdcLajMN+s+2ubX8F
    y0Tw6Pi/d9XE0sKu+f5GdpH/6Kzuzycj6jsxO95COr6jgYkwgYYwLwYDVR0RBCgw
    JoIOc3R1ZGlvLmV4YW1wbGWCDiouYmFuZC5leGFtcGxlhwTAAAIHMBMGA1UdJQQM
    MAoGCCsGAQUFBwMBMB0GA1UdDgQWBBT0dVvE5DzsdBvbLI7utkiUm5ZyYDAfBgNV
    HSMEGDAWgBR+AlHpehuA7UXP6bQ7lZB4Xs1S4jAKBggqhkjOPQQDAgNIADBFAiB3
    cVU+0UjQQHCLQPWaixA4j529figpdxXIfJlnEUKnkQIhANVjUEZYePlcW4Zgz7z5
    newqa2xoHDNmry+mREPrJsCP
    -----END CERTIFICATE-----

    """

  static let selfSigned = """
    -----BEGIN CERTIFICATE-----
    MIIBkDCCATagAwIBAgIULxlr4EnO/zKnchOQ/1mC0y2gHRcwCgYIKoZIzj0EAwIw
    ETEPMA0GA1UEAwwGbGFwdG9wMCAXDTI2MTEyNDE4MzkwOVoYDzIxMjYxMDMxMTgz
    OTA5WjARMQ8wDQYDVQQDDAZsYXB0b3AwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
    AARXpakanmibqCqQaSitRwWauv3Dl+Fi7Xf7B+SB4TzzYMXcXy5aJRyc0v6k47yz
    tasVwaPtXFwUUpnRccxSJApao2owaDAdBgNVHQ4EFgQUQph0A5NdwofWbVJESMVR
    8frWJkQwHwYDVR0jBBgwFoAUQph0A5NdwofWbVJESMVR8frWJkQwDwYDVR0TAQH/
    BAUwAwEB/zAVBgNVHREEDjAMggpsYXB0b3AubGFuMAoGCCqGSM49BAMCA0gAMEUC
    IQC801UO52avzWZm4lRT6RxCLKvn+N/yigZe0GhjSvnlXAIgMdKb1pGjNy3DqsVk
    2UAPGSC1zpwa88+i2L7vTciEFWE=
    -----END CERTIFICATE-----

    """

  static let selfSignedKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwAw4jQX6zge7cZBQ
    H0mbVtC2RGefBJ7W9tIHJ3FkLlehRANCAARXpakanmibqCqQaSitRwWauv3Dl+Fi
    7Xf7B+SB4TzzYMXcXy5aJRyc0v6k47yztasVwaPtXFwUUpnRccxSJApa
    -----END PRIVATE KEY-----

    """

  /// The certificates in DER, as a server sends them.
  static func chain(_ texts: String...) throws -> [[UInt8]] {
    try withFile(texts.joined()) { try #require(ServerCertificate.chain(inFile: $0)) }
  }

  /// A file with this text, for as long as `body` runs.
  static func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "jamjar-\(UUID().uuidString).pem")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path)
  }
}
