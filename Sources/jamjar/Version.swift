/// The program's name and version in journals, manifests and `--version`.
enum Version {
  static let number = "0.1.0"
  static let text = "jamjar \(number)"
}
