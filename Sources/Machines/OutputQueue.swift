/// A machine's outputs in order; usually drained before it is filled again, so its memory is reused.
///
/// Inlinable, because packets pass through it in another module.
package struct OutputQueue<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { head == elements.count }

  @inlinable package mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the oldest element; nil if empty.
  @inlinable package mutating func next() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    }
    return element
  }

  /// Removes elements that must no longer be carried out.
  @inlinable package mutating func removeAll(where isObsolete: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map(isObsolete) != true }
    head = 0
  }
}

extension OutputQueue: Sendable where Element: Sendable {}
