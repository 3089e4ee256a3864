/// Exit codes of the command line, as in sysexits.h; documented in docs/cli.md and `jamjar --help`.
enum ExitCodes {
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
  /// EX_NOPERM: the service requires a different key.
  static let notPermitted: Int32 = 77
  /// EX_CANTCREAT: a file could not be written.
  static let cannotCreate: Int32 = 73
  /// 128 plus SIGINT, as in shells: interrupted by Ctrl-C.
  static let interrupted: Int32 = 130
  /// EX_CONFIG: the settings are wrong.
  static let configuration: Int32 = 78
}
