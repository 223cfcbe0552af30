// A file of a recording in `verify` and `decode`, some packets at a time.

import Bluetooth
import EventLoop
import Wearable

/// A part of a recording, with all that its decoding needs: the wearable's key, and the end of the previous part.
final class PolarRecordingPieces: IncrementalDecoder {
  private let item: HeldItem
  private let type: PMD.MeasurementType
  private let secret: PMD.Secret?
  private let trueRate: (Double) -> Double
  /// End of the previous part, ns since 2000; 0 without one.
  private let before: UInt64
  /// Called with the part's end, ns since 2000, when the part was found valid.
  private let noteEnd: @LoopActor (UInt64) -> Void

  /// State of the verification.
  private var looking: (PMD.Recording, PMD.Recording.Cursor)?
  private var counting: PMD.RecordingDecoder?
  private var end: UInt64 = 0
  /// Correction of the frames' times; nil before the first.
  private var correction: UInt64?
  private var packets = 0
  /// Decodes the samples.
  private var decoder: PMD.RecordingDecoder?

  /// Bytes of packets that are decoded and stored within 2 ms on the smallest board: some 5,000 compressed samples of
  /// three axes, in 35 blocks.
  static let size = 8 << 10
  /// Bytes of packets that are verified within the same time. For most kinds that means reading each packet's header.
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
    // The end is unknown if no packet could be read.
    var mark = PolarFileMark(item.mark) ?? PolarFileMark(size: bytes.count)
    (mark.triedKey, mark.time) = (nil, end == 0 ? nil : end)
    noteEnd(end)
    return ItemVerdict(summary: "\(type): \(packets) packets", isFinal: true, mark: mark.text)
  }

  /// - Returns: whether the verification is incomplete.
  private func look(_ bytes: RawBytes) throws(PMD.Recording.Defect) -> Bool {
    // Samples without times are counted, so only decoding all of them shows where they end.
    if type == .offlineHR || type == .ppi { return try count(bytes) }
    let (recording, place) = try start(bytes)
    var cursor = place
    try recording.forEachPacket(in: bytes, from: &cursor, amount: Self.lookSize) { packet in
      packets += 1
      guard let frame = try? PMD.Frame(packet), frame.type == type, frame.time != 0 else { return }
      let correction = correction ?? recording.correction(first: frame.time, after: before)
      self.correction = correction
      end = frame.time &+ correction
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
