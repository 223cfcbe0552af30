// Verification and decoding in pieces, so that an item of megabytes does not block the loop.

public import Bluetooth
public import EventLoop

/// Item that is verified and decoded in pieces, with turns for other tasks in between. The bytes are complete, and the
/// same each time. Pure, except for the current position.
///
/// A piece is what can be verified, or decoded and stored, within 2 ms on the smallest board: about 8 KiB of dense
/// records.
@LoopActor
public protocol IncrementalDecoder: AnyObject {
  /// Verifies the next piece.
  ///
  /// - Returns: nil while pieces remain.
  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict?
  /// Decodes the next piece. Called only after `verifyNext` returned a verdict.
  ///
  /// - Returns: whether pieces remain.
  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool
  /// Restarts decoding.
  func rewind()
}

extension IncrementalDecoder {
  /// Verifies all pieces at once.
  ///
  /// - Throws: the first defect.
  public func verifyAll(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    while true { if let verdict = try verifyNext(bytes) { return verdict } }
  }

  /// Verifies and decodes all pieces at once.
  ///
  /// - Throws: the first defect. If decoding finds it, `sink` has the samples of earlier pieces.
  public func decodeAll(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    _ = try verifyAll(bytes)
    while try decodeNext(bytes, into: sink) {}
  }
}

/// Item that is small enough for one piece.
final class WholeItem: IncrementalDecoder {
  private let domain: any FetchDomain
  private let item: HeldItem

  init(_ domain: any FetchDomain, _ item: HeldItem) {
    self.domain = domain
    self.item = item
  }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? { try domain.verify(item, bytes) }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    try domain.decode(item, bytes, into: sink)
    return false
  }

  func rewind() {}
}
