/// What one step of a change message means for one of those who use the object, in the order of the steps.
///
/// The writer is always told the stored value: it may have heard another's value between its wish and this.
package enum SharedOutcome: Hashable, Sendable {
  /// To the writer: the slot holds this value now.
  case confirmed(String, SharedValue)
  /// Another's value, or the true value after a wish that was denied.
  case changed(String, SharedValue)
  /// The slot is gone; the writer of a removal hears it also where there was none.
  case removed(String)
  case cleared
  case sent(handler: String, [SharedValue])
  /// To the writer: this step was refused, the slot being nil for a clear or a send. What is true follows.
  case denied(String?, RoomRefusal)
}
