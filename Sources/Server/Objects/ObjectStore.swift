import Recording

/// A place for finished files beside the take's folder. Keys are paths below the store's prefix.
///
/// Storing the same bytes under the same key twice is as good as once.
protocol ObjectStore: Sendable {
  /// The store for people: `s3://band/jamjar`.
  var place: String { get }

  /// Stores a file and has the store compare its bytes with the digest.
  /// - Throws: `StoreFailure`, `RecordedFile.Failure`; `ObjectDiffers` if the file is not the one of the digest.
  func store(_ file: RecordedFile, as key: String, digest: FileDigest) async throws
  /// The size of an object in bytes; nil if there is none.
  /// - Throws: `StoreFailure`.
  func size(of key: String) async throws -> Int64?
  /// Passes the bytes of an object to `body` as they arrive.
  /// - Throws: `StoreFailure`, errors of `body`.
  func fetch(_ key: String, _ body: ([UInt8]) async throws -> Void) async throws
  /// The keys that begin with `prefix`.
  /// - Throws: `StoreFailure`.
  func keys(beginningWith prefix: String) async throws -> [String]
  /// Removes an object; one that is not there is no error.
  /// - Throws: `StoreFailure`.
  func remove(_ key: String) async throws
}

/// A file has other bytes than its manifest says, here or in the store.
struct ObjectDiffers: Error, CustomStringConvertible {
  var description: String
}

/// The store did not do what it was asked.
struct StoreFailure: Error, Hashable, CustomStringConvertible {
  /// The status of HTTP; nil if there was no response.
  var status: Int?
  /// The store's word: "AccessDenied".
  var code: String?
  /// What went wrong, and what would be right.
  var detail: String

  /// True if the object does not exist.
  var isMissing: Bool { status == 404 && code != "NoSuchBucket" }

  var description: String { detail }

  /// No response, for the given reason.
  static func away(_ reason: String, _ address: ObjectAddress) -> StoreFailure {
    StoreFailure(detail: "the object store at \(address.endpoint) does not respond: \(reason)")
  }

  /// An answer other than success.
  static func answered(_ status: Int, _ body: String, _ address: ObjectAddress) -> StoreFailure {
    let code = S3Answer.text(of: "Code", in: body)
    let said = S3Answer.text(of: "Message", in: body).map { ": \($0.prefix(200))" } ?? ""
    let detail =
      switch code {
      case "NoSuchBucket": "the store has no bucket \"\(address.bucket)\"; create it, or correct --objects"
      case "InvalidAccessKeyId", "SignatureDoesNotMatch":
        "the store does not accept the keys (\(code ?? "")); correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
      case "AccessDenied":
        "the keys have no right to this in the bucket \"\(address.bucket)\"; they need to get, put, list and delete objects"
      case "RequestTimeTooSkewed": "the clocks of this machine and of the store differ; set this one by NTP"
      case let code?: "the store answered \(status) \(code)\(said)"
      case nil where status == 403: "the store answered 403: the keys are wrong, or have no right to this"
      case nil: "the store answered \(status)"
      }
    return StoreFailure(status: status, code: code, detail: detail)
  }
}
