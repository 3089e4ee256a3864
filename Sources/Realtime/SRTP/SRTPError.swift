import CSRTP

/// Why a packet was not protected or not opened.
package enum SRTPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Shorter than a header and a tag, or with lengths inside that reach beyond its end; the length in bytes.
  case malformed(length: Int)
  /// Longer than `SRTPContext.longestPacket`; the length in bytes.
  case oversized(length: Int)
  /// The tag is not the one that the key gives: another key, or somebody changed a bit.
  case notAuthentic
  /// Seen before.
  case replayed
  /// Behind the replay window, so nobody can say whether it was seen before.
  case tooOld
  /// libsrtp refused for a reason of its own; its status number.
  case library(status: UInt32)

  init(_ status: srtp_err_status_t, length: Int) {
    switch status {
    case srtp_err_status_auth_fail, srtp_err_status_cipher_fail: self = .notAuthentic
    case srtp_err_status_replay_fail: self = .replayed
    case srtp_err_status_replay_old: self = .tooOld
    case srtp_err_status_bad_param, srtp_err_status_parse_err: self = .malformed(length: length)
    default: self = .library(status: UInt32(status.rawValue))
    }
  }

  package var description: String {
    switch self {
    case .malformed(let length): "a packet of \(length) bytes is too short or its header reaches beyond its end"
    case .oversized(let length):
      "a packet of \(length) bytes is too long; at most \(SRTPContext.longestPacket) are taken"
    case .notAuthentic: "the authentication tag is wrong: another key, or a changed packet"
    case .replayed: "the packet was seen before"
    case .tooOld: "the packet lies behind the replay window of \(SRTPContext.replayWindow) packets"
    case .library(let status): "libsrtp refused with status \(status)"
    }
  }
}
