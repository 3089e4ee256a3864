/// An event of a shared-object message; the names are those of the direction in which it normally goes.
package enum RTMPObjectEvent: Hashable, Sendable {
  /// 1: subscribe, and create the object if that is allowed.
  case use
  /// 2: unsubscribe.
  case release
  /// 3: the client sets a slot; null deletes it.
  case requestChange(String, AMFValue)
  /// 4: a slot has this value now; never null or undefined, which the iOS library can't read.
  case change(String, AMFValue)
  /// 5: to the writer, with the stored value so that all copies end alike; Red5 leaves the value out.
  case success(String, AMFValue?)
  /// 6: a message to all subscribers, the sender included.
  case message(String, [AMFValue])
  /// 7: a refusal; on the wire the code comes before the level.
  case status(code: String, level: String)
  /// 8: all slots are gone; from a client it wishes that.
  case clear
  /// 9: a slot is gone.
  case remove(String)
  /// 10: the client removes a slot.
  case requestRemove(String)
  /// 11: the subscription stands; comes before all others.
  case useSuccess
  /// 13: to the writer of an object that was used with flag 0x10, instead of `success`.
  case changeEcho(String, AMFValue)
  /// 14: the wish to clear of such a client.
  case requestClear

  /// Whether a server has to listen to it.
  var isOfClient: Bool {
    switch self {
    case .use, .release, .requestChange, .message, .clear, .requestRemove, .requestClear: true
    case .change, .success, .status, .remove, .useSuccess, .changeEcho: false
    }
  }

  /// The number on the wire.
  var number: UInt8 {
    switch self {
    case .use: 1
    case .release: 2
    case .requestChange: 3
    case .change: 4
    case .success: 5
    case .message: 6
    case .status: 7
    case .clear: 8
    case .remove: 9
    case .requestRemove: 10
    case .useSuccess: 11
    case .changeEcho: 13
    case .requestClear: 14
    }
  }
}
