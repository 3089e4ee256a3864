import Testing

@testable import Signaling

@Suite struct BundledSectionTests {
  @Test(arguments: [
    ("v=0\r\na=group:BUNDLE audio\r\nm=audio 9 X 111\r\na=mid:audio\r\n", "audio", 0),
    ("v=0\r\na=group:BUNDLE 1\r\nm=video 0 X 96\r\na=mid:0\r\nm=audio 9 X 111\r\na=mid:1\r\n", "1", 1),
    ("v=0\na=group:BUNDLE a v\nm=audio 9 X 111\na=mid:a\nm=video 9 X 96\na=mid:v\n", "a", 0),
    ("v=0\r\nm=video 0 X 96\r\na=mid:v\r\nm=audio 9 X 111\r\na=mid:a\r\n", "a", 1),
    ("v=0\r\nm=video 0 X 96\r\nm=audio 9 X 111\r\n", "1", 1),
    ("v=0\r\na=group:BUNDLE gone\r\nm=audio 9 X 111\r\na=mid:a\r\n", "a", 0),
    ("v=0\r\na=group:BUNDLE\r\nm=audio 0 X 111\r\n", "0", 0),
    ("v=0\r\na=mid:early\r\n", "0", 0), ("", "0", 0), ("m=\na=group:BUNDLE ", "0", 0),
  ])
  func theFirstOfTheBundleIsFound(answer: String, mid: String, index: Int) {
    let section = BundledSection(answer: answer)
    #expect(section.mid == mid)
    #expect(section.index == index)
  }
}
