import Foundation
import Testing

@testable import Server

@Suite struct MethodConfigurationTests {
  private static let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()

  private func sentence(_ list: String, secrets: String? = secret) -> String? {
    do throws(ConfigurationProblem) {
      _ = try MethodConfiguration(list: list, secrets: secrets)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func readsOneAddressForAllAndOthersForSingleNames() throws {
    let read = try MethodConfiguration(
      list: "https://app.example/rtmp?key=a=b echoInt=https://ints.example", secrets: MethodConfigurationTests.secret)
    #expect(read.everything?.text == "https://app.example:443/rtmp?key=a=b")
    #expect(read.named.mapValues(\.text) == ["echoInt": "https://ints.example:443/"])
    #expect(try MethodConfiguration(list: " \n", secrets: nil).isEmpty)
  }

  @Test func everyMistakeIsNamedAndNoSecretIsShown() {
    for (list, part) in [
      ("app.example", "no valid address"), ("echoInt=ftp://x", "no valid address"), ("https://a@b", "no valid address"),
      ("https://a.example https://b.example", "two addresses"),
      ("sum=https://a.example sum=https://b.example", "two addresses"),
      ("room.roster=https://a.example", "stays so"), ("take.start=https://a.example", "stays so"),
      ("=https://a.example", "cannot be a method"),
    ] {
      #expect(sentence(list)?.contains(part) == true, "\(list): \(sentence(list) ?? "taken")")
    }
    #expect(sentence("https://a.example", secrets: nil)?.contains("JAMJAR_METHOD_SECRET") == true)
    let wrong = sentence("https://a.example", secrets: "whsec_dG9vIHNob3J0")
    #expect(wrong?.contains("invalid") == true && wrong?.contains("dG9v") == false)
    #expect(sentence("echoInt=https://a.example") == nil)
  }

  @Test func privateAddressesNeedPermission() throws {
    for list in ["http://app.example", "https://127.0.0.1", "sum=https://[fd00::1]"] {
      let methods = try MethodConfiguration(list: list, secrets: MethodConfigurationTests.secret)
      #expect(throws: ConfigurationProblem.self) { try methods.check(allowsPrivate: false) }
      #expect(throws: Never.self) { try methods.check(allowsPrivate: true) }
    }
  }

  @Test func whatIsShownHasNoPaths() {
    #expect(
      MethodConfiguration.redacted("https://app.example/secret echoInt=https://ints.example/x odd")
        == "https://app.example:443/… echoInt=https://ints.example:443/… (no address)")
  }
}
