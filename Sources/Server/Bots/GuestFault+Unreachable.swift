import Client
import Recording
import Signaling

extension GuestFault {
  /// Why a server cannot be reached, in one sentence. A certificate that is not trusted is looked at once more, to say what
  /// is wrong with it: a server that shows another one than before is not spoken to.
  static func unreachable(_ endpoint: ServiceEndpoint, _ error: any Error) async -> GuestFault {
    let place = "\(endpoint.host):\(endpoint.port)"
    if endpoint.isSecure, case .certificates(let chain) = await TLSProbe(endpoint).run() {
      let faults = CertificateFault.all(
        of: chain, host: endpoint.host, at: MonotonicClock.wall, trust: endpoint.trust)
      let reasons = faults.map(\.sentence).joined(separator: ", and ")
      if !faults.isEmpty { return GuestFault(.refused, "the server \(place) is not trusted: \(reasons)") }
    }
    return GuestFault(.lost, "the server \(place) cannot be reached: \(error)")
  }
}
