// One file of a recording on its way through `verify` and `decode`, some packets at a time.

import Bluetooth
import EventLoop
import Wearable

/// A part of a recording, with what it has to be read with: the key of its wearable, and where the part before ended.
final class PolarRecordingPieces: ItemPieces {
  private let item: HeldItem
  private let type: PMD.MeasurementType
  private let secret: PMD.Secret?
  private let trueRate: (Double) -> Double
  /// Of the part before, ns since 2000; 0 where there is none.
  private let before: UInt64
  /// Told when the part was found sound: where it ends, ns since 2000.
  private let noteEnd: @LoopActor (UInt64) -> Void

  /// Looks at what is there.
  private var looking: (PMD.Recording, PMD.Recording.Cursor)?
  private var counting: PMD.RecordingDecoder?
  private var end: UInt64 = 0
  private var packets = 0
  /// Makes samples of it.
  private var decoder: PMD.RecordingDecoder?

  /// Bytes of packets that are decoded and stored within 2 ms on the smallest board: some 5,000 compressed samples of
  /// three axes, in 35 blocks.
  static let size = 8 << 10
  /// Bytes of packets that are looked at within the same time, which for most kinds is to read the head of each.
  private static let lookSize = 64 << 10

  init(
    _ item: HeldItem, _ type: PMD.MeasurementType, secret: PMD.Secret?, after before: UInt64,
    trueRate: @escaping (Double) -> Double,
    noteEnd: @escaping @LoopActor (UInt64) -> Void
  ) {
    (self.item, self.type, self.secret, self.before, self.trueRate, self.noteEnd) = (
      item, type, secret, before, trueRate, noteEnd
    )
  }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
    let isMore: Bool
    do throws(PMD.Recording.Defect) { isMore = try look(bytes) } catch { throw defect(error, bytes) }
    if isMore { return nil }
    // Nothing is known of its end where no packet could be read.
    var mark = PolarFileMark(item.mark) ?? PolarFileMark(size: bytes.count)
    (mark.triedKey, mark.time) = (nil, end == 0 ? nil : end)
    noteEnd(end)
    return ItemVerdict(summary: "\(type): \(packets) packets", isFinal: true, mark: mark.text)
  }

  /// - Returns: whether there is more to look at.
  private func look(_ bytes: RawBytes) throws(PMD.Recording.Defect) -> Bool {
    // Where samples are counted and not timed, only reading them all tells where they end.
    if type == .offlineHR || type == .ppi { return try count(bytes) }
    let (recording, place) = try start(bytes)
    var cursor = place
    try recording.forEachPacket(in: bytes, from: &cursor, amount: Self.lookSize) { packet in
      packets += 1
      if let frame = try? PMD.Frame(packet), frame.type == type { end = frame.time }
    }
    looking = (recording, cursor)
    return cursor.leftOver == nil
  }

  private func start(_ bytes: RawBytes) throws(PMD.Recording.Defect) -> (PMD.Recording, PMD.Recording.Cursor) {
    if let looking { return looking }
    let recording = try PMD.Recording(bytes, secret: secret)
    return (recording, recording.firstPacket)
  }

  private func count(_ bytes: RawBytes) throws(PMD.Recording.Defect) -> Bool {
    let decoder = counting ?? PMD.RecordingDecoder(type, secret: secret, after: before)
    if counting == nil { try decoder.begin(bytes) }
    counting = decoder
    let isMore = try decoder.decodeNext(bytes, amount: Self.size, into: nil)
    (end, packets) = (decoder.end, decoder.tally.frames)
    return isMore
  }

  func rewind() { decoder = nil }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    do throws(PMD.Recording.Defect) {
      let decoder = decoder ?? PMD.RecordingDecoder(type, secret: secret, after: before, trueRate: trueRate)
      if self.decoder == nil { try decoder.begin(bytes) }
      self.decoder = decoder
      return try decoder.decodeNext(bytes, amount: Self.size, into: sink)
    } catch { throw defect(error, bytes) }
  }

  private func defect(_ defect: PMD.Recording.Defect, _ bytes: RawBytes) -> ItemDefect {
    defect.itemDefect(isEncrypted: bytes.first.map { $0 != PMD.Secret.Strategy.none.rawValue } ?? false)
  }
}
