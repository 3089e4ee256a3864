/// Exit codes of the command line, after sysexits.h; docs/cli.md and `jamjar --help` promise them.
enum ExitCodes {
  /// EX_USAGE: the words of the command are off.
  static let usage: Int32 = 64
  /// EX_DATAERR: what was asked for is there, and cannot be had of it.
  static let unsuitable: Int32 = 65
  /// EX_NOINPUT: what was asked for is not there.
  static let noInput: Int32 = 66
  /// EX_UNAVAILABLE: the service is not there or refused.
  static let unavailable: Int32 = 69
  /// EX_SOFTWARE: something failed inside.
  static let software: Int32 = 70
  /// EX_TEMPFAIL: the limit of the stop cut something off; the next start does the rest.
  static let cutOff: Int32 = 75
  /// EX_NOPERM: the service wants another key.
  static let notPermitted: Int32 = 77
  /// EX_CANTCREAT: a file could not be written.
  static let cannotCreate: Int32 = 73
  /// 128 and SIGINT, as shells have it: ended by Ctrl-C.
  static let interrupted: Int32 = 130
  /// EX_CONFIG: the settings are wrong.
  static let configuration: Int32 = 78
}
