/// A machine's outputs in order; usually drained before it is filled again, so its memory is reused.
///
/// Inlinable, because packets pass through it in another module, and public, because the compiler inlines nothing else there
/// (decision 78).
public struct OutputQueue<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable public init() {}

  @inlinable public var isEmpty: Bool { head == elements.count }

  @inlinable public mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the oldest element; nil if empty.
  @inlinable public mutating func next() -> Element? {
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
  @inlinable public mutating func removeAll(where isObsolete: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map(isObsolete) != true }
    head = 0
  }
}

extension OutputQueue: Sendable where Element: Sendable {}
