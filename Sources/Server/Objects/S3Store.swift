import AsyncHTTPClient
import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Recording
import Signaling

/// A bucket of S3, or of what speaks like it (MinIO, Ceph, Garage), with the bucket in the path.
///
/// Every piece travels with its SHA-256, which the store compares. A file above 16 MiB goes in parts of 8 MiB: the
/// checksum that the store then has of the whole is the digest in the take's manifest (`FileDigest`).
struct S3Store: ObjectStore {
  private let address: ObjectAddress
  private let credentials: ObjectCredentials

  /// Never shut down: it lives as long as the process.
  private static let client: HTTPClient = {
    var settings = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(10), read: .seconds(60)), decompression: .disabled)
    settings.httpVersion = .http1Only
    // A failure is tried again by its caller, after a pause.
    settings.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
  }()

  /// Largest file that is sent in one piece, in bytes.
  private static let largestPiece: Int64 = 16 << 20
  /// Time for one request; a part of 8 MiB needs 0.3 Mbit/s.
  private static let timeLimit = TimeAmount.minutes(4)
  /// Most bytes read of an answer that is no object.
  private static let answerLimit = 4 << 20

  init(_ address: ObjectAddress, credentials: ObjectCredentials) {
    self.address = address
    self.credentials = credentials
  }

  var place: String { address.place }

  // MARK: Storing

  func store(_ file: RecordedFile, as key: String, digest: FileDigest) async throws {
    guard digest.method == FileDigest.method else {
      throw ObjectDiffers(description: "\(key) has a digest of the unknown method \(digest.method)")
    }
    if file.size <= S3Store.largestPiece {
      try await storeWhole(file, as: key, digest: digest)
    } else {
      try await storeParts(of: file, as: key, digest: digest)
    }
  }

  private func storeWhole(_ file: RecordedFile, as key: String, digest: FileDigest) async throws {
    let bytes = try await file.read(at: 0, count: Int(file.size))
    let (sum, blocks) = try await NIOThreadPool.singleton.runIfActive {
      (SHA256.hash(bytes), FileDigest(of: bytes))
    }
    guard blocks == digest else { throw S3Store.changed(key) }
    let headers = [
      ("x-amz-checksum-sha256", Base64.standard.encode(sum)), ("content-type", "application/octet-stream"),
    ]
    _ = try await ask(.PUT, address.path(of: key), [], headers, body: bytes, bodyHash: sum)
  }

  private func storeParts(of file: RecordedFile, as key: String, digest: FileDigest) async throws {
    try await abandonParts(of: key)
    let path = address.path(of: key)
    let begun = try await ask(
      .POST, path, [("uploads", "")],
      [("x-amz-checksum-algorithm", "SHA256"), ("content-type", "application/octet-stream")])
    guard let upload = S3Answer.text(of: "UploadId", in: begun.text) else {
      throw StoreFailure(status: begun.status, detail: "the store began an upload in parts without naming it")
    }
    do {
      try await send(file, as: key, upload: upload, digest: digest)
    } catch {
      // What is left would be paid for. A store that is away keeps it until the next attempt.
      _ = try? await ask(.DELETE, path, [("uploadId", upload)])
      throw error
    }
  }

  private func send(_ file: RecordedFile, as key: String, upload: String, digest: FileDigest) async throws {
    let path = address.path(of: key)
    var parts: [(tag: String, checksum: String)] = []
    var sums: [UInt8] = []
    var place: Int64 = 0
    while place < file.size {
      let bytes = try await file.read(at: place, count: Int(min(Int64(FileDigest.blockSize), file.size - place)))
      let sum = try await NIOThreadPool.singleton.runIfActive { SHA256.hash(bytes) }
      let checksum = Base64.standard.encode(sum)
      let answer = try await ask(
        .PUT, path, [("partNumber", "\(parts.count + 1)"), ("uploadId", upload)],
        [("x-amz-checksum-sha256", checksum)], body: bytes, bodyHash: sum)
      parts.append((answer.tag ?? "", checksum))
      sums += sum
      place += Int64(bytes.count)
    }
    let whole = SHA256.hash(sums)
    guard Hexadecimal.text(whole) == digest.value else { throw S3Store.changed(key) }
    let end = Array(S3Answer.completion(of: parts).utf8)
    let answer = try await ask(
      .POST, path, [("uploadId", upload)], [("content-type", "application/xml")], body: end,
      bodyHash: SHA256.hash(end))
    // It answers 200 before it knows.
    guard !answer.text.contains("<Error>") else { throw StoreFailure.answered(500, answer.text, address) }
    let checksum = S3Answer.text(of: "ChecksumSHA256", in: answer.text)
    guard checksum.map({ $0.hasPrefix(Base64.standard.encode(whole)) }) ?? true else {
      throw ObjectDiffers(description: "the store put \(key) together to something else than was sent")
    }
  }

  /// Ends uploads of `key` that a killed process left.
  private func abandonParts(of key: String) async throws {
    let answer = try await ask(.GET, address.bucketPath, [("uploads", ""), ("prefix", address.whole(key))])
    for upload in S3Answer.texts(of: "UploadId", in: answer.text) {
      _ = try? await ask(.DELETE, address.path(of: key), [("uploadId", upload)])
    }
  }

  private static func changed(_ key: String) -> ObjectDiffers {
    ObjectDiffers(description: "the file of \(key) has other bytes than those that its manifest has the digest of")
  }

  // MARK: Asking

  func size(of key: String) async throws -> Int64? {
    do {
      return try await ask(.HEAD, address.path(of: key)).length
    } catch let failure as StoreFailure where failure.isMissing {
      return nil
    }
  }

  func fetch(_ key: String, _ body: ([UInt8]) async throws -> Void) async throws {
    let response = try await execute(request(.GET, address.path(of: key), [], []), until: .distantFuture)
    guard response.status == .ok else { throw await failure(response) }
    do {
      for try await chunk in response.body { try await body(Array(chunk.readableBytesView)) }
    } catch let error as HTTPClientError {
      throw StoreFailure.away(error.shortDescription, address)
    } catch let error as IOError {
      throw StoreFailure.away("\(error)", address)
    }
  }

  func keys(beginningWith prefix: String) async throws -> [String] {
    var keys: [String] = []
    var next: String?
    repeat {
      var query = [("list-type", "2"), ("prefix", address.whole(prefix))]
      if let next { query.append(("continuation-token", next)) }
      let answer = try await ask(.GET, address.bucketPath, query)
      keys += S3Answer.texts(of: "Key", in: answer.text).compactMap(address.key)
      next = S3Answer.text(of: "NextContinuationToken", in: answer.text)
    } while next != nil
    return keys
  }

  func remove(_ key: String) async throws {
    do {
      _ = try await ask(.DELETE, address.path(of: key))
    } catch let failure as StoreFailure where failure.isMissing {
      return
    }
  }

  // MARK: Requests

  private struct Answer {
    var status: Int
    var tag: String?
    var length: Int64?
    var text: String
  }

  private func ask(
    _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [], _ headers: [(String, String)] = [],
    body: [UInt8]? = nil, bodyHash: [UInt8]? = nil
  ) async throws -> Answer {
    let request = request(method, path, query, headers, body: body, bodyHash: bodyHash)
    let response = try await execute(request, until: .now() + S3Store.timeLimit)
    guard (200..<300).contains(response.status.code) else { throw await failure(response) }
    return Answer(
      status: Int(response.status.code), tag: response.headers.first(name: "ETag"),
      length: response.headers.first(name: "Content-Length").flatMap { Int64($0) },
      text: method == .HEAD ? "" : try await text(of: response))
  }

  private func request(
    _ method: HTTPMethod, _ path: String, _ query: [(String, String)], _ headers: [(String, String)],
    body: [UInt8]? = nil, bodyHash: [UInt8]? = nil
  ) -> HTTPClientRequest {
    let text = RequestSignature.text(of: query)
    var request = HTTPClientRequest(url: address.endpoint + path + (text.isEmpty ? "" : "?\(text)"))
    request.method = method
    let signature = RequestSignature(credentials: credentials, region: address.region, now: MonotonicClock.wall)
    let signed = signature.headers(
      method.rawValue, host: address.host, path: path, query: query, headers,
      bodyHash: bodyHash ?? SHA256.hash(body ?? []))
    for (name, value) in signed { request.headers.replaceOrAdd(name: name, value: value) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    return request
  }

  private func execute(_ request: HTTPClientRequest, until deadline: NIODeadline) async throws -> HTTPClientResponse {
    do {
      return try await S3Store.client.execute(request, deadline: deadline)
    } catch let error as HTTPClientError {
      guard error != .cancelled else { throw CancellationError() }
      throw StoreFailure.away(error.shortDescription, address)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // A refused connection, an unknown name, a certificate: neither a body nor keys are in it.
      throw StoreFailure.away("\(error)", address)
    }
  }

  private func text(of response: HTTPClientResponse) async throws -> String {
    do {
      return String(
        decoding: try await response.body.collect(upTo: S3Store.answerLimit).readableBytesView, as: UTF8.self)
    } catch let error as HTTPClientError {
      throw StoreFailure.away(error.shortDescription, address)
    }
  }

  private func failure(_ response: HTTPClientResponse) async -> StoreFailure {
    let body = (try? await text(of: response)) ?? ""
    return StoreFailure.answered(Int(response.status.code), body, address)
  }
}
