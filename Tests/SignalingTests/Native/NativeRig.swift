import Machines

@testable import Signaling

/// One link's machine of the native protocol.
typealias NativeRig = DialectRig<NativeServer>

extension DialectRig where Speaker == NativeServer {
  init(at now: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
    self.init(NativeServer(room: "blue room", at: now), at: now)
  }

  static func joined() -> NativeRig {
    var rig = NativeRig()
    _ = rig.say(#"{"id":0,"method":"join","params":{"name":"Ada"}}"#)
    _ = rig.enter { _ in Sample.grant }
    return rig
  }
}

extension [NativeServer.Output] {
  /// The code of the only output, where it is an error.
  var code: String? {
    count == 1 ? texts.objects.first?["error"]?.object?["code"]?.string : nil
  }
}
