import Foundation
import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// Takes that are completed after a loss of power, from the last checkpoint on.
@Suite struct CheckpointTests {
  private func player(_ name: String, _ change: (inout VirtualPlayer) -> Void = { _ in }) -> VirtualPlayer {
    var player = VirtualPlayer(name)
    player.settings = OpusEncoder.Settings(channels: 1, bitrate: 64_000, complexity: 0)
    player.signal.isStereo = false
    player.end = 12
    change(&player)
    return player
  }

  /// One who plays on, and one who comes later in stereo, with odd clocks and lost packets that are sent again.
  private func band(_ change: (inout VirtualPlayer) -> Void = { _ in }) throws -> VirtualTake {
    try VirtualTake(
      [
        player("ada") {
          $0.drift = 80
          $0.link = VirtualLink(delay: 0.02, jitter: .uniform(0.01), loss: 0.05, seed: 3)
          change(&$0)
        },
        player("bob") {
          $0.settings = OpusEncoder.Settings(channels: 2, bitrate: 96_000, complexity: 0)
          $0.signal.isStereo = true
          $0.start = 3.5
          $0.drift = -120
          $0.link.jitter = .uniform(0.004)
        },
      ], length: 12,
      extra: [.cue(at: VirtualTake.time(2.5), CueID(ULID(high: 1, low: 2)), text: "solo", author: nil)])
  }

  /// Eleven seconds of a take of which twelve were played.
  private func cut(_ change: (inout VirtualPlayer) -> Void = { _ in }) throws -> PowerCut {
    try PowerCut(try band(change), heard: 11)
  }

  /// The same of one musician with one checkpoint, three seconds into the take.
  private func soloCut(each: (TakeFolder) throws -> Void = { _ in }) throws -> PowerCut {
    try PowerCut(
      try VirtualTake([player("ada") { $0.link.jitter = .uniform(0.004) }], length: 8), heard: 7.5, each: each)
  }

  @Test func theRestIsRenderedFromTheLastCheckpointOnAndIsTheSame() throws {
    let cut = try cut()
    #expect(cut.folder.has(TakeCheckpoint.name) && !cut.folder.has(TakeFolder.manifestName))
    let (rendered, continuedAt) = try cut.restarted()
    // The second checkpoint: the render stands four seconds behind the journal.
    let place = try #require(continuedAt).seconds
    #expect(place > 5.4 && place < 6.1, "\(place)")
    #expect(rendered.take.state == .incomplete)
    #expect(try #require(rendered.take.length).seconds > 10.5)
    #expect(rendered.tracks.map(\.channels) == [1, 2])
    try cut.expectTheSame(rendered)
    #expect(!cut.folder.has(TakeCheckpoint.name))
    for track in rendered.tracks {
      let reader = try SoundFileReader(try #require(track.file), in: cut.folder)
      #expect(reader.frameCount == rendered.take.length?.samples)
      #expect(reader.tags.artist == track.participant.name.description)
    }
  }

  @Test func gapsAndCountsAreThoseOfTheWholeTake() throws {
    let cut = try cut {
      $0.link = VirtualLink(delay: 0.02)
      $0.events = [.outage(at: 1.5, length: 0.5), .stall(at: 3, length: 0.3), .silence(at: 9, length: 0.5)]
    }
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt != nil)
    let gaps = rendered.tracks[0].gaps
    #expect(gaps.contains { $0.start.seconds < 3 } && gaps.contains { $0.start.seconds > 8 }, "\(gaps)")
    try cut.expectTheSame(rendered)
  }

  @Test func aStreamThatChangesAroundTheCheckpointGoesOn() throws {
    let cut = try cut {
      $0.sendsRedundancy = true
      $0.sendsCaptureTime = true
      $0.events = [.reconnect(at: 4), .device(at: 6.8, drift: -90), .reconnect(at: 8.5)]
    }
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt != nil)
    try cut.expectTheSame(rendered)
  }

  /// Voice is coded otherwise (SILK), and its decoder may remember a steady tone for longer than is repeated; then there
  /// is no checkpoint.
  @Test func voiceGoesOnOrBeginsAnew() throws {
    let cut = try cut {
      $0.settings = .init(channels: 1, bitrate: 24_000, complexity: 0, isVoice: true)
      $0.link = VirtualLink(delay: 0.02)
    }
    let rendered = try cut.restarted().take
    // What conceals the end, where no packet came any more, may differ.
    try cut.expectTheSameSound(of: rendered, upTo: 10.8)
  }

  /// After a loss of power, anything may stand behind what was synced, or nothing.
  @Test(arguments: [false, true]) func whatWasWrittenAfterTheCheckpointDoesNotMatter(isLost: Bool) throws {
    let cut = try soloCut()
    var lengths: [String: Int64] = [:]
    try cut.rewrite { checkpoint in
      for file in Array(checkpoint.files.tracks.values) + [checkpoint.files.mix].compactMap({ $0 }) {
        lengths[file.name] = file.sound.file.length
        lengths[TakeFolder.peaksName(for: file.name)] = file.peaks?.file.length
      }
    }
    #expect(lengths.count == 4)
    for (name, length) in lengths {
      try cut.edit(try cut.folder.unfinished(name)) { bytes in
        #expect(bytes.count >= Int(length))
        bytes = Array(bytes.prefix(Int(length)))
        if !isLost { bytes += [UInt8](repeating: 0, count: 5_000) }
      }
    }
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt != nil)
    try cut.expectTheSame(rendered)
  }

  @Test func theCheckpointBeforeIsAsGood() throws {
    var first: [UInt8]?
    let cut = try PowerCut(try band(), heard: 11) { folder in
      if first == nil, folder.has(TakeCheckpoint.name) { first = try folder.read(TakeCheckpoint.name) }
    }
    let former = try #require(first)
    #expect(try cut.folder.read(TakeCheckpoint.name) != former)
    try cut.folder.write(former, as: TakeCheckpoint.name)
    let (rendered, continuedAt) = try cut.restarted()
    #expect(try #require(continuedAt).seconds < 3.1)
    try cut.expectTheSame(rendered)
  }

  enum Fault: CaseIterable {
    case checkpointCut, checkpointFlipped, checkpointEmpty, otherRelease, otherTake, otherOptions, otherJournal
    case partShorter, partOther, partMissing, partLink
  }

  @Test(arguments: Fault.allCases) func whatDoesNotFitIsRenderedFromTheBeginning(fault: Fault) throws {
    let cut = try soloCut()
    let part = try cut.folder.unfinished("01-ada-guitar.flac")
    switch fault {
    case .checkpointCut: try cut.edit(TakeCheckpoint.name) { $0.removeLast() }
    case .checkpointFlipped: try cut.edit(TakeCheckpoint.name) { $0[$0.count / 2] ^= 1 }
    case .checkpointEmpty: try cut.edit(TakeCheckpoint.name) { $0 = [] }
    case .otherRelease: try cut.rewrite { $0.stamp += "1" }
    case .otherTake: try cut.rewrite { $0.take = TakeID(ULID(high: 5, low: 6)) }
    case .otherOptions: try cut.rewrite { $0.options.gains[1] = Gain(decibels: -9) }
    case .otherJournal: try cut.rewrite { $0.journal.chain ^= 1 }
    case .partShorter:
      var length = 0
      try cut.rewrite { length = Int($0.files.tracks[1]?.sound.file.length ?? 0) }
      try cut.edit(part) { $0 = Array($0.prefix(length - 1)) }
    case .partOther: try cut.edit(part) { $0[1_000] ^= 1 }
    case .partMissing: try cut.folder.remove(try cut.folder.unfinished("mix.peaks.dat"))
    case .partLink:
      try cut.folder.remove(part)
      try FileManager.default.createSymbolicLink(
        atPath: "\(cut.root)/\(cut.folder.path)/\(part)", withDestinationPath: TakeFolder.journalName)
    }
    let journal = try cut.folder.size(of: TakeFolder.journalName)
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt == nil)
    #expect(try cut.folder.size(of: TakeFolder.journalName) >= journal)
    try cut.expectTheSame(rendered)
  }

  /// A packet more before the checkpoint than the render saw, in a journal that is sound.
  @Test func aJournalWithAnotherPacketIsRenderedFromTheBeginning() throws {
    let cut = try soloCut()
    var writer = JournalWriter(header: cut.virtual.header)
    var isAdded = false
    for frame in cut.virtual.frames {
      let time = (frame.time - cut.virtual.header.zero).seconds
      guard time < 7.5 else { break }
      writer.append(frame)
      if time > 2, !isAdded, case .rtp = frame {
        writer.append(frame)
        isAdded = true
      }
    }
    let bytes = writer.take()
    try cut.edit(TakeFolder.journalName) { $0 = bytes }
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt == nil && isAdded)
    try cut.expectTheSame(rendered)
  }

  /// The disk lost a stretch of the journal that the render had read.
  @Test(arguments: [0.3, 0.6, 0.97]) func aDamagedJournalIsRenderedAsFarAsItGoes(place: Double) throws {
    let cut = try soloCut()
    try cut.edit(TakeFolder.journalName) { bytes in
      let start = Int(Double(bytes.count) * place)
      bytes.replaceSubrange(start..<start + 512, with: [UInt8](repeating: 0, count: 512))
    }
    let (rendered, continuedAt) = try cut.restarted()
    // The last checkpoint was made at 0.93 of it.
    #expect((continuedAt == nil) == (place < 0.9))
    #expect(rendered.notes.contains { $0.contains("could not be read") })
    // The disk is the recorder's, and no musician is blamed for it.
    let gaps = rendered.manifest.tracks.flatMap(\.gaps)
    #expect(!gaps.isEmpty && gaps.allSatisfy { $0.cause == .recorder }, "\(gaps)")
    try cut.expectTheSame(rendered)
  }

  @Test func aCheckpointIsUsedOnce() throws {
    let cut = try soloCut()
    // A process that dies of what it continues must not do so at every start.
    let renderer = try TakeRenderer(folder: cut.folder, take: cut.virtual.take)
    #expect(!cut.folder.has(TakeCheckpoint.name))
    _ = try cut.folder.unfinished("mix.flac")
    try withExtendedLifetime(renderer) {
      let (rendered, continuedAt) = try cut.restarted()
      #expect(continuedAt == nil)
      try cut.expectTheSame(rendered)
    }
  }

  /// The render's process ended, the service did not: the take rolls on.
  @Test func aTakeThatRollsOnIsContinuedAndHasFurtherCheckpoints() throws {
    let virtual = try VirtualTake([player("ada") { $0.end = 16 }], length: 16)
    let cut = try PowerCut(virtual, heard: 8)
    let journal = try JournalFile(openingIn: cut.folder)
    let renderer = try TakeRenderer(folder: cut.folder, take: virtual.take, checkpointInterval: PowerCut.interval)
    for second in PowerCut.seconds(of: virtual, from: 8, to: 17) {
      try journal.append(second)
      try renderer.follow()
    }
    #expect(renderer.continuedAt != nil)
    let next = TakeCheckpoint.take(from: cut.folder, of: virtual.take.id, options: cut.options)
    #expect(try #require(next).render.rendered > 8 * 48_000)
    let rendered = try renderer.finish()
    #expect(rendered.take.state == .ready && rendered.notes.isEmpty, "\(rendered.notes)")
    try cut.expectTheSame(rendered)
  }

  @Test func aDiskWithoutRoomForACheckpointCostsNothingElse() throws {
    var isPlanted = false
    let cut = try soloCut { folder in
      #expect(!folder.has(TakeCheckpoint.name))
      guard !isPlanted else { return }
      // Nothing of this name can be made or removed, as if the disk were full.
      isPlanted = mkdirat(folder.handle, TakeFolder.partName(TakeCheckpoint.name), 0o700) == 0
    }
    #expect(isPlanted)
    #expect(unlinkat(cut.folder.handle, TakeFolder.partName(TakeCheckpoint.name), AT_REMOVEDIR) == 0)
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt == nil)
    try cut.expectTheSame(rendered)
  }

  @Test func aTakeInWAVIsContinuedAndHasTheVeryBytes() throws {
    let cut = try PowerCut(try band(), heard: 11, options: RenderOptions(format: .wav24))
    #expect(cut.folder.has(TakeCheckpoint.name))
    let (rendered, continuedAt) = try cut.restarted()
    #expect(try #require(continuedAt).seconds > 5.4)
    // Of files that are not FLAC, this compares every byte.
    try cut.expectTheSame(rendered)
    #expect(rendered.tracks.allSatisfy { $0.file?.hasSuffix(".wav") == true })
  }

  /// A header of another length, and samples fewer than the checkpoint says.
  @Test(arguments: [false, true]) func aWAVFileThatDoesNotFitIsRenderedFromTheBeginning(isShorter: Bool) throws {
    let cut = try PowerCut(
      try VirtualTake([player("ada")], length: 8), heard: 7.5, options: RenderOptions(format: .wav24))
    try cut.rewrite { checkpoint in
      if isShorter {
        checkpoint.files.mix?.sound.plain?.frames -= 1
      } else {
        checkpoint.files.mix?.sound.plain?.tags.album = "a room of another name"
      }
    }
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt == nil)
    try cut.expectTheSame(rendered)
  }

  @Test func theSecondLookSeesNoDifference() throws {
    let cut = try cut {
      $0.link = VirtualLink(delay: 0.02)
      $0.events = [.held(at: 4, length: 1)]
    }
    let (rendered, continuedAt) = try cut.restarted()
    #expect(continuedAt != nil)
    let found = try TakeRefiner(folder: cut.folder, root: cut.root).examine(options: RenderOptions())
    // At the very end, a packet may lie on either side.
    #expect(found.packets <= 1 && found.droppedPackets <= 1, "\(found)")
    let again = try TakeRefiner(folder: cut.folder, root: cut.root).replace(by: found, options: RenderOptions())
    #expect(again.take.length == rendered.take.length && again.tracks.map(\.id) == rendered.tracks.map(\.id))
    for file in again.manifest.files where file.role != .journal {
      #expect(try FileDigest(of: file.name, in: cut.folder) == file.digest)
    }
  }
}
