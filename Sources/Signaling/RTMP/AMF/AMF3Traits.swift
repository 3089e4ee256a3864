/// The shape of an AMF3 object, which later objects of the message may point to.
struct AMF3Traits: Hashable, Sendable {
  /// The one externalizable class that is read: a plain array inside a wrapper.
  static let arrayCollection = "flex.messaging.io.ArrayCollection"

  let className: String
  let isExternalizable: Bool
  let isDynamic: Bool
  /// The names whose values come first, without names.
  let sealed: [String]
}
