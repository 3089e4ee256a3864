/// A protocol engine as a value: inputs and times in, outputs and a deadline out; no socket, clock, task or file
/// inside.
///
/// After every `handle`, the caller drains `next()` until it returns nil, sleeps until `deadline` at the latest, and
/// calls `advance(to:)`. Input from outside never traps: it becomes an output or a typed error.
///
/// ```swift
/// machine.handle(input, at: now)
/// while let output = machine.next() { perform(output) }
/// schedule(machine.deadline)
/// ```
package protocol Machine: ~Copyable {
  associatedtype Input
  associatedtype Output

  /// Processes one input that occurred at `now`.
  mutating func handle(_ input: Input, at now: MonotonicTime)

  /// Advances time: performs everything due at `now`.
  mutating func advance(to now: MonotonicTime)

  /// Returns the next output; nil if there is none.
  mutating func next() -> Output?

  /// When to call `advance(to:)` next; nil if nothing is pending.
  var deadline: MonotonicTime? { get }
}
