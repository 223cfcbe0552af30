// Where the payload of a response goes, packet by packet.

import Bluetooth
import EventLoop
import Wearable

/// Takes what a wearable sends while it sends it. A repeated transfer begins again at its first byte.
@LoopActor
protocol PSFTPReceiver: AnyObject {
  func begin()
  /// - Returns: `enough` where the transfer is to be stopped, in good order.
  func take(_ payload: ArraySlice<UInt8>) async throws(VisitTrouble) -> Taking
  /// Nothing follows, whether all is there or not.
  ///
  /// - Returns: `enough` where it wants no more than what it had, whatever became of the rest.
  func end() async throws(VisitTrouble) -> Taking
}

/// Keeps it, up to a limit.
final class PSFTPCollector: PSFTPReceiver {
  private(set) var bytes: [UInt8] = []
  private let limit: Int

  /// - Parameter limit: bytes; more end the transfer as broken.
  init(limit: Int) { self.limit = limit }

  func begin() { bytes = [] }

  func take(_ payload: ArraySlice<UInt8>) async throws(VisitTrouble) -> Taking {
    guard bytes.count + payload.count <= limit else { throw .framing("an answer of more than \(limit) bytes") }
    bytes += payload
    return .more
  }

  func end() -> Taking { .more }
}

/// Hands a file on to the hub's sink in pieces that are worth a call.
///
/// The protocol knows no offset: what the sink has of the file already is sent again and passed over.
final class PSFTPStream: PSFTPReceiver {
  private let sink: any ByteSink
  /// Where the file begins in the sink's item.
  private let base: Int
  private let limit: Int
  /// Only `deinit` uses it outside of the loop's actor, when nobody else can.
  private nonisolated(unsafe) let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: PSFTPStream.piece, alignment: 1)
  private var filled = 0
  /// Bytes of the file that the sink has.
  private var kept = 0
  /// Bytes of the file that came in this transfer.
  private(set) var received = 0
  /// What the sink said last.
  private(set) var taking = Taking.more

  /// Bytes of a piece: some 20 packets, below a tenth of a second of the fastest link.
  private nonisolated static let piece = 4096

  /// - Parameter limit: bytes of the file; more end the transfer as broken.
  init(_ sink: any ByteSink, base: Int, limit: Int) {
    (self.sink, self.base, self.limit) = (sink, base, limit)
  }

  deinit { buffer.deallocate() }

  func begin() { (received, filled, kept) = (0, 0, max(0, sink.offset - base)) }

  func take(_ payload: ArraySlice<UInt8>) async throws(VisitTrouble) -> Taking {
    guard received + payload.count <= limit else { throw .framing("a file of more than \(limit) bytes") }
    var rest = payload.dropFirst(max(0, kept - received))
    received += payload.count
    while !rest.isEmpty {
      let part = rest.prefix(buffer.count - filled)
      UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: part)
      filled += part.count
      rest = rest.dropFirst(part.count)
      if filled == buffer.count, try await end() == .enough { return .enough }
    }
    return .more
  }

  func end() async throws(VisitTrouble) -> Taking {
    guard filled > 0 else { return .more }
    let piece = RawBytes(rebasing: UnsafeRawBufferPointer(buffer)[..<filled])
    filled = 0
    taking = try await sink.take(piece)
    return taking
  }
}
