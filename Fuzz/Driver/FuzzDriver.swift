import FuzzTargets
import Glibc

#if SERVER
  import FuzzServerTargets
#endif

/// The target that `script/fuzz` names; libFuzzer has no arguments for it.
private let target: FuzzTarget? = {
  var all = FuzzTarget.all
  #if SERVER
    all += FuzzTarget.server
  #endif
  let name = getenv("JAMJAR_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  return all.first { $0.name == name }
}()

/// What libFuzzer calls with every input, in a program whose `main` is its own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let target else { fatalError("JAMJAR_FUZZ_TARGET names none of the targets") }
  do {
    try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("\(error)")
  }
  return 0
}
