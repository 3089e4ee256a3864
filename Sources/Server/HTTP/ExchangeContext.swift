import Hummingbird
import Logging
import NIOCore

/// What is known of one request beside the request itself.
struct ExchangeContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection that the request came on.
  let channel: any Channel
  /// What the request's credentials allow; resources behind the `KeyGuard` show no more than that.
  var admission = Admission.everything

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The request's identifier, which the log and the answer have in common.
  var requestID: String { logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? "" }
}
