/// A protocol engine as a value: inputs and times in, outputs and a deadline out; no socket, clock, task or file inside.
///
/// After every `handle` the caller drains `next()` until it answers nil, then sleeps until `deadline` at the latest and
/// calls `advance(to:)`. Input from outside never traps: it becomes an output or a typed error.
package protocol Machine: ~Copyable {
  associatedtype Input
  associatedtype Output

  /// Takes one input that happened at `now`.
  mutating func handle(_ input: Input, at now: MonotonicTime)

  /// Lets time pass: fires whatever is due at `now`.
  mutating func advance(to now: MonotonicTime)

  /// The next output, or nil when the machine is drained.
  mutating func next() -> Output?

  /// When `advance(to:)` wants to be called next, or nil when nothing is pending.
  var deadline: MonotonicTime? { get }
}
