import Foundation
import Music
import Recording
import Testing

@testable import Server

/// The store's client against moto, which checks signatures (but no checksums).
@Suite(.timeLimit(.minutes(5))) struct S3StoreTests {
  private func file(_ bytes: [UInt8], in data: DataFolder) async throws -> (RecordedFile, FileDigest) {
    try data.write(bytes, "a/b/c/sound.flac")
    return (try await RecordedFile.open("sound.flac", in: "a/b/c", of: data.path), FileDigest(of: bytes))
  }

  private func contents(_ key: String, of store: S3Store) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await store.fetch(key) { bytes += $0 }
    return bytes
  }

  /// No two parts of it are equal: its period is a prime.
  private func noise(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    var bytes = (0..<65_537).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    while bytes.count < count { bytes += bytes }
    return Array(bytes.prefix(count))
  }

  /// Whole, in parts, and empty.
  @Test(arguments: [0, 1_000, (16 << 20) + 12_345])
  func whatIsStoredComesBack(_ count: Int) async throws {
    let server = try await S3Server()
    let store = S3Store(try server.address(), credentials: try server.credentials)
    let data = try DataFolder()
    let bytes = noise(count)
    let (file, digest) = try await file(bytes, in: data)
    let key = "takes/A/r/01-zoë & bob.flac"
    try await store.store(file, as: key, digest: digest)
    #expect(try await store.size(of: key) == Int64(count))
    let back = try await contents(key, of: store)
    #expect(back == bytes)
    #expect(try await store.keys(beginningWith: "takes/A/") == [key])
    // The same once more is as good as once.
    try await store.store(file, as: key, digest: digest)
    #expect(try await store.keys(beginningWith: "takes/") == [key])
    try await store.remove(key)
    try await store.remove(key)
    #expect(try await store.size(of: key) == nil)
    let uploads = server.requests.filter { $0.hasPrefix("POST") && $0.contains("uploads") }
    #expect(uploads.count == (count > 16 << 20 ? 2 : 0))
  }

  @Test func aFileThatIsNotTheOneOfItsDigestIsNotStored() async throws {
    let server = try await S3Server()
    let store = S3Store(try server.address(), credentials: try server.credentials)
    let data = try DataFolder()
    let (file, _) = try await file([1, 2, 3], in: data)
    await #expect(throws: ObjectDiffers.self) {
      try await store.store(file, as: "takes/A/x", digest: FileDigest(of: [1, 2, 4]))
    }
    #expect(try await store.size(of: "takes/A/x") == nil)
  }

  @Test func aWrongKeyAndAWrongBucketAreNamed() async throws {
    let server = try await S3Server()
    let right = try server.credentials
    let wrong = try ObjectCredentials(identifier: right.identifier, secret: "not-the-secret-of-that-key")
    for (bucket, credentials, words) in [("band", wrong, "AWS_SECRET_ACCESS_KEY"), ("nobodys", right, "nobodys")] {
      let store = S3Store(try server.address(bucket: bucket), credentials: credentials)
      await #expect {
        _ = try await store.keys(beginningWith: "takes/")
      } throws: { error in
        "\(error)".contains(words) && !"\(error)".contains("not-the-secret")
      }
    }
  }

  @Test func aStoreThatIsNotThereIsAwayAndHasNotSaidNo() async throws {
    // Nobody listens on the first port.
    let address = try ObjectAddress(parsing: "s3://band?endpoint=http://127.0.0.1:1")
    let store = S3Store(address, credentials: try ObjectCredentials(identifier: "a", secret: "b"))
    await #expect {
      _ = try await store.size(of: "takes/A/x")
    } throws: { error in
      (error as? StoreFailure)?.status == nil && "\(error)".contains("does not respond")
    }
  }
}
