/// Decodes a stream of packets in mostly consecutive stretches. Missing packets are recovered, concealed or silent, as
/// in a take.
///
/// Used from one thread at a time.
final class EncodedSoundSource: SoundSource {
  /// Samples decoded at a time.
  private static let block: Int64 = 4_800
  /// How far a packet may be ahead in the queue, in samples.
  private static let ahead: Int64 = 24_000
  /// A decoder settles within 80 ms (RFC 7845 section 4.6).
  private static let runIn: Int64 = 3_840

  let channels: Int
  let rate = 48_000
  let frameCount: Int64
  private let sound: EncodedSound
  private var decoder: StreamDecoder
  private var store = PacketStore()
  /// Index of the next packet for the queue.
  private var nextPacket: Int
  /// The first sample that has not been read.
  private var place: Int64

  /// - Throws: `OpusFailure` if libopus runs out of memory.
  init(_ sound: EncodedSound) throws(OpusFailure) {
    self.sound = sound
    (channels, frameCount) = (sound.channels, sound.length)
    (decoder, nextPacket, place) = try EncodedSoundSource.start(sound, at: 0)
  }

  private static func start(
    _ sound: EncodedSound, at place: Int64
  ) throws(OpusFailure) -> (StreamDecoder, Int, Int64) {
    // The last packet that begins before the decoder has to run in.
    var (low, high) = (0, sound.packets.count)
    while low < high {
      let middle = (low + high) / 2
      if sound.packets[middle].position <= place - runIn { low = middle + 1 } else { high = middle }
    }
    let index = max(0, low - 1)
    let first = sound.packets[index]
    let position = min(first.position, max(0, place))
    return (try StreamDecoder(channels: sound.channels, sequence: first.sequence, position: position), index, place)
  }

  func read(from first: Int64, frames: Int) throws -> [Float] {
    // Far ahead it begins anew, rather than to decode what nobody asked for.
    if first < place || first > place + EncodedSoundSource.ahead {
      store = PacketStore()
      (decoder, nextPacket, place) = try EncodedSoundSource.start(sound, at: first)
    }
    var samples: [Float] = []
    samples.reserveCapacity(frames * channels)
    while samples.count < frames * channels {
      let start = first + Int64(samples.count / channels)
      let end = min(start + EncodedSoundSource.block, first + Int64(frames))
      while nextPacket < sound.packets.count,
        sound.packets[nextPacket].position < end + EncodedSoundSource.ahead
      {
        _ = store.insert(try sound.stored(nextPacket))
        nextPacket += 1
      }
      // In steps that fit the decoder's window, also from the beginning of its run-in.
      var reached = decoder.audio.end
      while reached < end {
        reached = min(reached + EncodedSoundSource.block, end)
        decoder.fill(upTo: reached, from: &store)
        decoder.discard(before: min(start, reached))
      }
      append(start..<end, to: &samples)
    }
    place = first + Int64(frames)
    return samples
  }

  private func append(_ range: Range<Int64>, to samples: inout [Float]) {
    let (channels, origin) = (channels, decoder.audio.start)
    decoder.audio.withPlanes { left, right in
      for position in range {
        let index = Int(position - origin)
        let isThere = left.indices.contains(index)
        samples.append(isThere ? left[index] : 0)
        if channels == 2 { samples.append(isThere ? right[index] : 0) }
      }
    }
  }
}
