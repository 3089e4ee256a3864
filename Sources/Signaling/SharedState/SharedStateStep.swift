/// What has to be done after a use or a change, in this order.
package struct SharedStateStep: Sendable {
  package var receipt: SharedObjectReceipt
  /// For the member who asked, whether they use the object or not.
  package var toWriter: SharedObjectEvent?
  /// For everybody else who uses the object.
  package var toOthers: SharedObjectEvent?
  /// What has to be kept, nil for objects that are not.
  package var record: SharedObjectRecord?

  init(receipt: SharedObjectReceipt) {
    self.receipt = receipt
  }
}
