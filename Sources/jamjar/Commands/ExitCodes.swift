/// Exit codes of the command line, as in sysexits.h; documented in docs/cli.md and `jamjar --help`.
enum ExitCodes {
  /// The doctor found a failure.
  static let unwell: Int32 = 1
  /// EX_USAGE: invalid arguments.
  static let usage: Int32 = 64
  /// EX_DATAERR: the item exists, but the request cannot be carried out on it.
  static let unsuitable: Int32 = 65
  /// EX_NOINPUT: no such item.
  static let noInput: Int32 = 66
  /// EX_UNAVAILABLE: the service cannot be reached or refused the request.
  static let unavailable: Int32 = 69
  /// EX_SOFTWARE: an internal error.
  static let software: Int32 = 70
  /// EX_TEMPFAIL: the service reached its stop limit before all work was done; the next start completes it.
  static let cutOff: Int32 = 75
  /// EX_NOPERM: the service requires a different key, or the system does not let this user read a file.
  static let notPermitted: Int32 = 77
  /// EX_CANTCREAT: a file could not be created, or exists already.
  static let cannotCreate: Int32 = 73
  /// EX_IOERR: reading or writing failed; the disk is full, or standard output takes no more.
  static let inputOutput: Int32 = 74
  /// EX_CONFIG: the settings are wrong.
  static let configuration: Int32 = 78

  /// Ended by a signal: 128 and its number, as in shells.
  static func signal(_ number: Int32) -> Int32 { 128 + number }
}
