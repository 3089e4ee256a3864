extension FixedWidthInteger {
  /// The whole number nearest to `value`, as `rounded()` gives it; the type's end for one beyond it, and 0 for NaN.
  ///
  /// The usual initialiser traps on those, so a fraction that depends on input becomes a whole number by this one, or by
  /// `init(exactly:)`. Public, so that callers in other modules have it specialised (decision 78).
  @inlinable public init(saturating value: Double) {
    if let exact = Self(exactly: value.rounded()) {
      self = exact
    } else {
      self = value.isNaN ? 0 : value < 0 ? .min : .max
    }
  }
}
