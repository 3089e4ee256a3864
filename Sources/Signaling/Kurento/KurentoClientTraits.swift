/// Traits of the client from its upgrade request, which reveal its habits.
package struct KurentoClientTraits: Hashable, Sendable {
  package var hasOrigin: Bool
  package var hasUserAgent: Bool

  package init(hasOrigin: Bool, hasUserAgent: Bool) {
    self.hasOrigin = hasOrigin
    self.hasUserAgent = hasUserAgent
  }

  /// Android sends neither header and takes even an empty "streams" for "publishes"; iOS refuses a join without it.
  var takesEmptyStreamsForPublishing: Bool { !hasOrigin && !hasUserAgent }
}
