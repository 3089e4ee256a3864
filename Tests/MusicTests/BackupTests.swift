import Testing

@testable import Music

@Suite struct BackupTests {
  private let backup = Backup(
    id: BackupID(ULID(high: 1, low: 1)), take: TakeID(ULID(high: 1, low: 2)),
    participant: ParticipantID(ULID(high: 1, low: 3)), sampleRate: 44_100, channels: 2,
    startedAt: WallTime(milliseconds: 1_795_229_769_123), createdAt: WallTime(milliseconds: 1_795_229_769_123))

  @Test func whatCanBeAlignedIsTaken() throws {
    try backup.check()
    var other = backup
    (other.startedAt, other.bytes) = (nil, other.limit)
    try other.check()
    // A clock that was never set is no reason to lose a copy.
    other.startedAt = WallTime(milliseconds: 0)
    try other.check()
    #expect(backup.limit == 6 * 3_600 * 44_100 * 6)
  }

  /// What a hand or a former release may have written into a file, and the field that is named.
  private static let wrong: [(field: String, spoil: @Sendable (inout Backup) -> Void)] = [
    ("sampleRate", { $0.sampleRate = 0 }), ("sampleRate", { $0.sampleRate = .max }), ("channels", { $0.channels = 0 }),
    ("channels", { $0.channels = .max }), ("channels", { $0.channels = .min }), ("bytes", { $0.bytes = -1 }),
    ("bytes", { $0.bytes = .min }), ("bytes", { $0.bytes = .max }),
    ("startedAt", { $0.startedAt = WallTime(nanoseconds: .min) }),
    ("startedAt", { $0.startedAt = WallTime(nanoseconds: .max) }),
    ("startedAt", { $0.startedAt = WallTime(milliseconds: -1) }),
  ]

  @Test func namesWhatNoBackupCanHave() {
    for (field, spoil) in Self.wrong {
      var spoiled = backup
      spoil(&spoiled)
      let problem = #expect(throws: ValueProblem.self) { try spoiled.check() }
      #expect(problem?.field == field && problem?.permitted.isEmpty == false)
      // It is shown all the same.
      #expect((1...6 * 3_600 * 192_000 * 6).contains(spoiled.limit))
    }
  }
}
