// Verifying and decoding in pieces, so that an item of megabytes does not hold up the loop.

public import Bluetooth
public import EventLoop

/// One item that is verified and decoded piece by piece; between two pieces everybody else has a turn. The bytes are
/// whole, and the same each time. Pure but for its own place in them.
///
/// A piece is what is verified, or decoded and stored, within 2 ms on the smallest board: about 8 KiB of dense records.
@LoopActor
public protocol ItemPieces: AnyObject {
  /// Looks at the next piece.
  ///
  /// - Returns: nil while there is more to look at.
  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict?
  /// Decodes the next piece. Called only after `verifyNext` gave a verdict.
  ///
  /// - Returns: whether there is more to decode.
  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool
  /// Decoding begins anew.
  func rewind()
}

extension ItemPieces {
  /// All of it at once.
  public func verifyAll(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    while true { if let verdict = try verifyNext(bytes) { return verdict } }
  }

  /// All of it at once, verifying it first.
  public func decodeAll(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    _ = try verifyAll(bytes)
    while try decodeNext(bytes, into: sink) {}
  }
}

/// An item that is small enough for one piece.
final class WholeItem: ItemPieces {
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
