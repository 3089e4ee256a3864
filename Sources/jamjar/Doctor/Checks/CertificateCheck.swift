import Client
import Music
import Server

/// What is to be said about a certificate.
enum CertificateCheck {
  /// Days before its end from which on it should have been renewed: authorities' tools do so a month before.
  private static let soon: Int64 = 14
  private static let day: Int64 = 86_400_000

  /// - Parameters:
  ///   - faults: what a client finds wrong with it.
  ///   - place: the file or the address that it comes from.
  static func findings(
    _ certificate: ServerCertificate, _ faults: [CertificateFault], of place: String, at now: WallTime
  ) -> [Finding] {
    var findings = faults.map { finding($0, place) }
    let left = (certificate.notAfter.milliseconds &- now.milliseconds) / day
    let isCurrent = certificate.notAfter > now
    if isCurrent, left < soon {
      findings.append(
        Finding(
          .certificate, .warning,
          "The certificate of \(place) expires in \(left) days, on \(certificate.notAfter.day).",
          remedy: "Renew it now, and look why that was not done by itself (certbot renew, lego renew)."))
    }
    if findings.isEmpty {
      findings.append(
        Finding(
          .certificate, .ok,
          "The certificate of \(place) is for \(certificate.names.prefix(5).joined(separator: ", ")), signed by "
            + "\"\(certificate.issuer)\", and holds for \(left) more days."))
    }
    return findings
  }

  private static func finding(_ fault: CertificateFault, _ place: String) -> Finding {
    let sentence = "\(place): \(fault.sentence)."
    switch fault {
    case .expired:
      return Finding(
        .certificate, .failure, sentence,
        remedy: "Renew it (certbot renew, lego renew), and restart the service, which reads it at the start.")
    case .notYetValid:
      return Finding(
        .certificate, .failure, sentence,
        remedy: "Set the clock of this machine, or of the one that made it: timedatectl set-ntp true.")
    case .foreignName(let asked, _):
      return Finding(
        .certificate, .failure, sentence,
        remedy: "Order a certificate for \(asked), or give out links with a name that it is for.")
    case .selfSigned:
      return Finding(
        .certificate, .warning, sentence,
        remedy:
          "Browsers warn of it, and some give no microphone. docs/tonight.md says how to get one from an authority; "
          + "the command line takes this one with --ca-file.")
    case .unknownAuthority:
      return Finding(
        .certificate, .failure, sentence,
        remedy:
          "If its authority is a known one, the certificate between is missing: --tls-certificate takes the whole "
          + "chain (fullchain.pem). An authority of your own must be installed on every musician's machine.")
    case .other:
      return Finding(.certificate, .failure, sentence, remedy: "Order a new one; docs/tonight.md says how.")
    }
  }
}
