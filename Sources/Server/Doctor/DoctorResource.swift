import Hummingbird
import Music
import Signaling

/// `/v1/doctor`: what keeps a band from playing, and what to do.
struct DoctorResource {
  let doctor: Doctor
  /// The address that others open, if the settings have it.
  let address: String?

  var resources: [Resource] {
    [
      Resource("/v1/doctor").on(.get, .examine) { request, _ in
        try request.checkQuery(only: [])
        return Response(json: .object(Representation.report(try await doctor.report(), of: address)))
      }
    ]
  }
}

extension Representation {
  static func report(_ report: Doctor.Report, of address: String?) -> JSONObject {
    [
      "ok": .bool(report.isWell), "complete": .bool(report.isComplete),
      "checkedAt": .string(report.checkedAt.description), "address": .optional(address),
      "findings": .array(report.findings.map(\.json)),
    ]
  }
}
