// Receivers of a response's payload, packet by packet.

import Bluetooth
import EventLoop
import Wearable

/// Consumer of a response while it arrives. A repeated transfer starts again at its first byte.
@LoopActor
protocol PSFTPReceiver: AnyObject {
  func begin()
  /// - Returns: `enough` if the transfer is to be cancelled without an error.
  func take(_ payload: ArraySlice<UInt8>) async throws(VisitTrouble) -> Taking
  /// Ends the response, whether it is complete or not.
  ///
  /// - Returns: `enough` if the receiver has all that it wants, whatever happened to the rest.
  func end() async throws(VisitTrouble) -> Taking
}

/// Collects a response in memory, up to a limit.
final class PSFTPCollector: PSFTPReceiver {
  private(set) var bytes: [UInt8] = []
  private let limit: Int

  /// - Parameter limit: bytes; a longer response is a `framing` trouble.
  init(limit: Int) { self.limit = limit }

  func begin() { bytes = [] }

  func take(_ payload: ArraySlice<UInt8>) async throws(VisitTrouble) -> Taking {
    guard bytes.count + payload.count <= limit else { throw .framing("an answer of more than \(limit) bytes") }
    bytes += payload
    return .more
  }

  func end() -> Taking { .more }
}

/// Forwards a file to the hub's sink, in pieces large enough to be worth a call.
///
/// The protocol has no offset. The wearable sends bytes that the sink has already once more, and they are skipped.
final class PSFTPStream: PSFTPReceiver {
  private let sink: any ByteSink
  /// Offset of the file in the sink's item.
  private let base: Int
  private let limit: Int
  /// Buffer that only `deinit` uses outside of the loop's actor, when no other reference is left.
  private nonisolated(unsafe) let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: PSFTPStream.piece, alignment: 1)
  private var filled = 0
  /// Bytes of the file that the sink had when the transfer began.
  private var kept = 0
  /// Bytes of the file that this transfer has received.
  private(set) var received = 0
  /// The sink's latest answer.
  private(set) var taking = Taking.more

  /// Bytes of a piece: some 20 packets, less than a tenth of a second on the fastest link.
  private nonisolated static let piece = 4096

  /// - Parameter limit: bytes of the file; a longer one is a `framing` trouble.
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
