/// Why a text is no request, and which request it was where that could be told.
struct NativeFault: Error, Hashable, Sendable {
  var id: NativeRequestID?
  var refusal: RoomRefusal
}
