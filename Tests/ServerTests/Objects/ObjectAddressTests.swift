import Foundation
import Machines
import Music
import Recording
import Testing

@testable import Server

struct ObjectAddressTests {
  @Test func anAddressNamesBucketPrefixEndpointAndRegion() throws {
    let address = try ObjectAddress(parsing: "s3://band/jam/jar?endpoint=http://127.0.0.1:5000&region=eu-west-3")
    #expect(address.bucket == "band")
    #expect(address.prefix == "jam/jar")
    #expect(address.endpoint == "http://127.0.0.1:5000")
    #expect(address.host == "127.0.0.1:5000")
    #expect(address.region == "eu-west-3")
    #expect(address.place == "s3://band/jam/jar")
    #expect(address.path(of: "takes/A/01-zoë.flac") == "/band/jam/jar/takes/A/01-zo%C3%AB.flac")
    #expect(address.key("jam/jar/takes/A") == "takes/A")
    #expect(address.key("jam/jars/takes/A") == nil)
  }

  @Test func withoutAnEndpointItIsAmazons() throws {
    let address = try ObjectAddress(parsing: "s3://band?region=eu-central-1")
    #expect(address.endpoint == "https://s3.eu-central-1.amazonaws.com")
    #expect(address.host == "s3.eu-central-1.amazonaws.com")
    #expect(address.whole("takes/A") == "takes/A")
  }

  @Test(
    arguments: [
      "", "band", "http://band/", "s3://", "s3://b", "s3://Band", "s3://band:90/", "s3://key:secret@band/x",
      "s3://band/../other", "s3://band#x", "s3://band?place=here", "s3://band?region=", "s3://band?region=a/b",
      "s3://band?endpoint=ftp://h", "s3://band?endpoint=https://h/path", "s3://band?endpoint=https://u@h",
    ])
  func whatIsNoAddressIsRefusedWithTheRightForm(_ text: String) {
    #expect {
      _ = try ObjectAddress(parsing: text)
    } throws: { error in
      let sentence = "\(error)"
      return sentence.contains("s3://BUCKET") && !sentence.contains("key:secret")
    }
  }

  @Test func keysComeFromAFileForItsOwnerAlone() throws {
    let data = try DataFolder()
    try data.write("[default]\n# mine\naws_access_key_id = ABC\naws_secret_access_key=d/e+f\n", "keys")
    let path = data.path + "/keys"
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect { _ = try ObjectCredentials(file: path) } throws: { "\($0)".contains("chmod 600") }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let credentials = try ObjectCredentials(file: path)
    #expect(credentials.identifier == "ABC")
    #expect(credentials.secret.reveal() == "d/e+f")
    try data.write("nothing here\n", "keys")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect { _ = try ObjectCredentials(file: path) } throws: { "\($0)".contains("aws_access_key_id") }
    #expect { _ = try ObjectCredentials(file: path + "-not") } throws: { "\($0)".contains("cannot be read") }
  }

  @Test func answersAreReadWithTheirEntities() {
    let xml = "<List><Key>a &amp; b</Key><Key>c&lt;</Key><Next/></List>"
    #expect(S3Answer.texts(of: "Key", in: xml) == ["a & b", "c<"])
    #expect(S3Answer.text(of: "Next", in: xml) == nil)
    #expect(S3Answer.texts(of: "Key", in: "<Key>cut off") == [])
  }
}
