import Machines
import Music
import Recording
import Testing

@testable import Server

/// The examples of "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)".
struct RequestSignatureTests {
  private func signature(
    _ method: String, _ path: String, _ query: [(String, String)] = [], _ headers: [(String, String)] = [],
    body: String = ""
  ) throws -> String {
    let credentials = try ObjectCredentials(
      identifier: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let now = try #require(WallTime("2013-05-24T00:00:00.000Z"))
    let signed = RequestSignature(credentials: credentials, region: "us-east-1", now: now).headers(
      method, host: "examplebucket.s3.amazonaws.com", path: path, query: query, headers,
      bodyHash: SHA256.hash(Array(body.utf8)))
    let value = try #require(signed.first { $0.0 == "authorization" }).1
    let start = "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
    #expect(value.hasPrefix(start), "\(value)")
    return String(value.suffix(64))
  }

  @Test func aRangeOfAnObject() throws {
    let found = try signature("GET", "/test.txt", [], [("Range", "bytes=0-9")])
    #expect(found == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func storingAnObject() throws {
    let headers = [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")]
    let found = try signature("PUT", "/test%24file.text", [], headers, body: "Welcome to Amazon S3.")
    #expect(found == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  @Test func aParameterWithoutValue() throws {
    let found = try signature("GET", "/", [("lifecycle", "")])
    #expect(found == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
  }

  @Test func aListWhoseParametersComeInAnyOrder() throws {
    let found = try signature("GET", "/", [("prefix", "J"), ("max-keys", "2")])
    #expect(found == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test func temporaryKeysSendTheirTokenAndSignIt() throws {
    let credentials = try ObjectCredentials(identifier: "A", secret: "b", token: "c")
    let signed = RequestSignature(credentials: credentials, region: "r", now: WallTime(milliseconds: 0)).headers(
      "GET", host: "h", path: "/", query: [], bodyHash: SHA256.hash([]))
    #expect(signed.contains { $0 == ("x-amz-security-token", "c") })
    let value = try #require(signed.first { $0.0 == "authorization" }).1
    #expect(value.contains("x-amz-security-token"))
  }

  @Test func keysAreInNoDescription() throws {
    let credentials = try ObjectCredentials(identifier: "name", secret: "very-secret", token: "also-secret")
    let text = "\(credentials) \(String(reflecting: credentials))"
    #expect(!text.contains("very-secret"))
    #expect(!text.contains("also-secret"))
  }
}
