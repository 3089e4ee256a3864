/// A machine's outputs in their order; usually drained before it is filled again, so its memory is used over and over.
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

  /// Removes the oldest element, nil when empty.
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

  /// Takes back what must not be carried out any more.
  @inlinable package mutating func removeAll(where isObsolete: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map(isObsolete) != true }
    head = 0
  }
}

extension OutputQueue: Sendable where Element: Sendable {}
