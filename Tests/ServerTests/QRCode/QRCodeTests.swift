import TestSupport
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct QRCodeTests {
  /// Sizes with everything in which sizes differ: alignment patterns, version, length of the length, blocks.
  private static let versions = [1, 2, 6, 7, 9, 10, 11, 12, 13, 14, 20, 26, 27, 32, 40]

  /// A text that fills a version to the last byte.
  private func text(_ length: Int, _ seed: UInt64) -> String {
    var generator = SeededRandom(seed)
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/:?#=&%")
    return String((0..<length).map { _ in letters.randomElement(using: &generator) ?? "x" })
  }

  /// The code as a picture.
  private func picture(of code: QRCode, scale: Int) -> (grey: [UInt8], side: Int) {
    let side = (code.size + 2 * QRCode.quietZone) * scale
    var grey = [UInt8](repeating: 255, count: side * side)
    for row in 0..<side {
      for column in 0..<side
      where code.isDark(column / scale - QRCode.quietZone, row / scale - QRCode.quietZone) {
        grey[row * side + column] = 0
      }
    }
    return (grey, side)
  }

  @Test(arguments: versions, QRCode.Level.allCases)
  func anotherReaderReadsWhatWasWritten(_ number: Int, _ level: QRCode.Level) throws {
    let reader = try #require(ZBar(), "libzbar0 is missing; script/bootstrap installs it")
    let version = QRVersion(number: number, level: level)
    let text = text(version.capacity, UInt64(number))
    let code = try #require(QRCode(text, level: level))
    #expect(code.size == 17 + 4 * number)
    let picture = picture(of: code, scale: 3)
    #expect(reader.read(picture.grey, width: picture.side, height: picture.side) == [text])
    #expect(QRVersion.smallest(for: version.capacity + 1, level: level)?.number == (number == 40 ? nil : number + 1))
  }

  /// ISO/IEC 18004 table 7.
  @Test func everyVersionHoldsAsMuchAsTheStandardSays() {
    func capacities(_ level: QRCode.Level) -> [Int] {
      [1, 2, 9, 10, 20, 27, 40].map { QRVersion(number: $0, level: level).capacity }
    }
    #expect(capacities(.low) == [17, 32, 230, 271, 858, 1_465, 2_953])
    #expect(capacities(.medium) == [14, 26, 180, 213, 666, 1_125, 2_331])
    #expect(QRCode(String(repeating: "x", count: 2_954), level: .low) == nil)
  }

  @Test func stainsAreMended() throws {
    let reader = try #require(ZBar())
    let text = text(180, 3)
    let code = try #require(QRCode(text, level: .medium))
    var picture = picture(of: code, scale: 4)
    // A stain of 7 by 7 modules in the middle.
    let middle = picture.side / 2
    for row in middle - 14..<middle + 14 {
      for column in middle - 14..<middle + 14 { picture.grey[row * picture.side + column] = 0 }
    }
    #expect(reader.read(picture.grey, width: picture.side, height: picture.side) == [text])
  }

  @Test func theDrawingsHaveEveryModule() throws {
    let code = try #require(QRCode("https://band.example/?room=Cellar", level: .low))
    let modules = (-4..<code.size + 4).map { row in (-4..<code.size + 4).map { code.isDark($0, row) } }

    var drawn = modules.map { $0.map { _ in false } }
    let path = try #require(code.svg().split(separator: "stroke=\"#000\" d=\"").last?.split(separator: "\"").first)
    for run in path.split(separator: "M") {
      let numbers = run.replacing(".5h", with: " ").split(separator: " ").compactMap { Int($0) }
      for column in numbers[0]..<numbers[0] + numbers[2] { drawn[numbers[1]][column] = true }
    }
    #expect(drawn == modules)

    let lines = code.terminalLines().flatMap { line in
      let blocks = line.split(separator: "m", maxSplits: 1)[1].prefix { $0 != "\u{1B}" }
      return [blocks.map { "█▀".contains($0) }, blocks.map { "█▄".contains($0) }]
    }
    // An odd number of rows leaves half a line, which is light.
    #expect(Array(lines.prefix(modules.count)) == modules)
    #expect(lines.dropFirst(modules.count).allSatisfy { !$0.contains(true) })
  }
}
