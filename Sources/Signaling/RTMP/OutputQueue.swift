/// Outputs in their order; taking one does not move the others.
struct OutputQueue<Element> {
  private var elements: [Element] = []
  private var head = 0

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func next() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      }
    }
    return elements[head]
  }
}
