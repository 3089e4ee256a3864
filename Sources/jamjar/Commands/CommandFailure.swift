import ArgumentParser
import Catalog
import Foundation
import Library
import Recording
import Server
import Signaling

/// The reason why a command failed: a sentence that says what was wrong and what would be right.
struct CommandFailure: Error, CustomStringConvertible {
  var exitCode: Int32
  var description: String

  init(_ exitCode: Int32, _ sentence: String) {
    self.exitCode = exitCode
    description = sentence
  }

  /// Runs `body`; an error ends the process with a sentence on standard error and an exit code.
  static func orExit<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let failure as CommandFailure {
      try exit(failure.exitCode, failure)
    } catch let problem as PerspectiveProblem {
      try exit(ExitCodes.unsuitable, problem)
    } catch let interruption as Interruption {
      try exit(ExitCodes.signal(interruption.signal), interruption)
    } catch let problem as ExportProblem {
      try exit(problem.exitCode, problem)
    } catch let damage as JournalDamage {
      try exit(ExitCodes.unsuitable, damage)
    } catch let problem as FileProblem {
      try exit(problem.exitCode, problem)
    } catch let error as CatalogError {
      try exit(error.isRequest ? ExitCodes.usage : ExitCodes.software, error)
    } catch let error as LibraryError {
      try exit(error.exitCode, error)
    } catch let failure as RESTFailure {
      try exit(failure.exitCode, failure)
    } catch let problem as RenderProblem {
      try exit(ExitCodes.software, problem)
    } catch let failure as OpusFailure {
      try exit(ExitCodes.software, "the take cannot be decoded: \(failure)")
    } catch let error where !(error is ExitCode || error is ValidationError || error is CleanExit) {
      try exit(ExitCodes.software, "\(error)")
    }
  }

  private static func exit(_ code: Int32, _ sentence: some CustomStringConvertible) throws -> Never {
    Terminal.complain("jamjar: \(sentence)")
    throw ExitCode(code)
  }
}

extension ExportProblem {
  /// The exit code for an export that cannot be made.
  fileprivate var exitCode: Int32 {
    switch self {
    case .rate, .nothingHeard: ExitCodes.usage
    case .formatMissing: ExitCodes.unavailable
    case .noTracks, .wrongRate, .changed, .replaced, .noBacking, .backingMissing: ExitCodes.unsuitable
    }
  }
}

extension FileProblem {
  /// The exit code for a failed file operation.
  var exitCode: Int32 {
    switch code {
    case ENOENT: return ExitCodes.noInput
    case EEXIST: return ExitCodes.cannotCreate
    case EACCES, EPERM, EROFS:
      return [.open, .read, .list, .examine].contains(operation) ? ExitCodes.notPermitted : ExitCodes.cannotCreate
    case EMFILE, ENFILE, ENOMEM: return ExitCodes.software
    // No system call failed: the contents are at fault.
    case 0: return ExitCodes.unsuitable
    default: return isNotAFile || isTooLarge ? ExitCodes.unsuitable : ExitCodes.inputOutput
    }
  }
}

extension CatalogError {
  /// True if the request was impossible rather than something having failed.
  fileprivate var isRequest: Bool {
    switch self {
    case .invalidCursor, .limitOutOfRange, .unsupportedSort, .value: true
    default: false
    }
  }
}

extension LibraryError {
  /// The exit code for a refused edit.
  var exitCode: Int32 {
    switch self {
    case .unknownTake, .unknownSong, .unknownPerson, .unknownCue: ExitCodes.noInput
    case .value: ExitCodes.usage
    case .busy, .inUse: ExitCodes.unavailable
    default: ExitCodes.unsuitable
    }
  }
}

extension RESTFailure {
  /// The exit code for an HTTP status.
  var exitCode: Int32 {
    switch status {
    case 400, 413, 414, 422, 431: ExitCodes.usage
    case 401, 403: ExitCodes.notPermitted
    case 404: ExitCodes.noInput
    case 409, 412, 428: ExitCodes.unsuitable
    default: ExitCodes.unavailable
    }
  }
}
