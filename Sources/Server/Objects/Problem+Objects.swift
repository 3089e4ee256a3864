import HTTPTypes

extension StoreFailure: TakeListRefusal {
  /// Without the store's own words, which are for the operator.
  var problem: Problem {
    Problem(
      .serviceUnavailable, "objects-unavailable", "The object store does not answer",
      "the take's sound is kept in an object store, which does not answer now; try again later",
      headers: [.retryAfter: "30"])
  }
}

extension ObjectDiffers: TakeListRefusal {
  var problem: Problem {
    Problem(
      .badGateway, "object-damaged", "The stored copy cannot be used",
      "the copy in the object store is not the file that was stored; the service's log has its key, and its former "
        + "version has to be put back")
  }
}
