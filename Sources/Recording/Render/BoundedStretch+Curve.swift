import Music

extension BoundedStretch {
  init(_ stretch: BoundCurve.Stretch) {
    self.init(
      start: SamplePosition(stretch.start), end: SamplePosition(stretch.end),
      errorBound: stretch.bound.isFinite ? stretch.bound * 1_000 : nil, unknownBecause: stretch.unknownBecause,
      basis: stretch.basis)
  }
}
