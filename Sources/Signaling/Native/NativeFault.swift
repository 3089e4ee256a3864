/// The reason why a text is not a request, with the request's identifier if it is readable.
struct NativeFault: Error, Hashable, Sendable {
  var id: NativeRequestID?
  var refusal: RoomRefusal
}
