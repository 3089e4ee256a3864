import CSRTP
import Testing

@testable import Realtime

/// One direction of Debian's libsrtp, which the tests hold our own against.
final class LibSRTP {
  /// What became of a packet.
  enum Verdict: Hashable {
    case bytes([UInt8])
    case refused(Reason)
  }

  /// Why a packet is refused, as far as both tell it apart.
  enum Reason: Hashable, Comparable {
    case malformed, notAuthentic, replayed, tooOld, unencrypted
    case other(UInt32)

    init(_ error: SRTPError) {
      switch error {
      case .malformed, .oversized: self = .malformed
      case .notAuthentic: self = .notAuthentic
      case .replayed: self = .replayed
      case .tooOld: self = .tooOld
      case .unencrypted: self = .unencrypted
      case .exhausted, .library: self = .other(.max)
      }
    }

    fileprivate init(_ status: srtp_err_status_t) {
      switch status {
      case srtp_err_status_auth_fail, srtp_err_status_cipher_fail: self = .notAuthentic
      case srtp_err_status_replay_fail: self = .replayed
      case srtp_err_status_replay_old: self = .tooOld
      case srtp_err_status_bad_param, srtp_err_status_parse_err: self = .malformed
      case srtp_err_status_cant_check: self = .unencrypted
      default: self = .other(status.rawValue)
      }
    }
  }

  enum Operation { case protectRTP, protectRTCP, unprotectRTP, unprotectRTCP }

  private static let started = srtp_init()
  private let session: srtp_t
  private var scratch = [UInt8](repeating: 0, count: SRTPContext.longestPacket + Int(SRTP_MAX_TRAILER_LEN) + 4)

  init(_ profile: SRTPProfile, keyAndSalt: [UInt8], sends: Bool) throws {
    try #require(Self.started == srtp_err_status_ok)
    let libraryProfile =
      switch profile {
      case .aeadAES128GCM: srtp_profile_aead_aes_128_gcm
      case .aes128CMSHA180: srtp_profile_aes128_cm_sha1_80
      }
    var policy = srtp_policy_t()
    srtp_crypto_policy_set_from_profile_for_rtp(&policy.rtp, libraryProfile)
    srtp_crypto_policy_set_from_profile_for_rtcp(&policy.rtcp, libraryProfile)
    policy.ssrc.type = sends ? ssrc_any_outbound : ssrc_any_inbound
    policy.window_size = UInt(SRTPContext.replayWindow)
    policy.allow_repeat_tx = 1
    var created: srtp_t?
    var key = keyAndSalt
    let status = key.withUnsafeMutableBufferPointer { key in
      policy.key = key.baseAddress
      return srtp_create(&created, &policy)
    }
    try #require(status == srtp_err_status_ok)
    session = try #require(created)
  }

  deinit {
    srtp_dealloc(session)
  }

  func verdict(_ operation: Operation, _ packet: [UInt8]) -> Verdict {
    scratch.replaceSubrange(..<packet.count, with: packet)
    var length = Int32(packet.count)
    let status = scratch.withUnsafeMutableBytes { bytes in
      switch operation {
      case .protectRTP: srtp_protect(session, bytes.baseAddress, &length)
      case .protectRTCP: srtp_protect_rtcp(session, bytes.baseAddress, &length)
      case .unprotectRTP: srtp_unprotect(session, bytes.baseAddress, &length)
      case .unprotectRTCP: srtp_unprotect_rtcp(session, bytes.baseAddress, &length)
      }
    }
    return status == srtp_err_status_ok ? .bytes(Array(scratch.prefix(Int(length)))) : .refused(Reason(status))
  }
}

extension SRTPContext {
  func verdict(_ operation: LibSRTP.Operation, _ packet: [UInt8]) -> LibSRTP.Verdict {
    packet.withUnsafeBytes { (bytes) -> LibSRTP.Verdict in
      do throws(SRTPError) {
        let result =
          switch operation {
          case .protectRTP: try protect(rtp: bytes)
          case .protectRTCP: try protect(rtcp: bytes)
          case .unprotectRTP: try unprotect(rtp: bytes)
          case .unprotectRTCP: try unprotect(rtcp: bytes)
          }
        return .bytes(Array(result))
      } catch {
        return .refused(LibSRTP.Reason(error))
      }
    }
  }
}
