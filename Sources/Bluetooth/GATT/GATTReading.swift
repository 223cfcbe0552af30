// Reading a value, in as many parts as it takes.

internal import EventLoop

/// One read under way. Parts are put together in the call that brings them.
@LoopActor
private final class GATTReading {
  /// The whole value, or why there is none; nil while parts are missing.
  private(set) var outcome: GATTWaiter.Outcome?
  private var value: [UInt8] = []
  private let handle: UInt16
  /// What one response holds.
  private let partLimit: Int
  private let handler: (@LoopActor (RawBytes) -> Void)?

  init(_ handle: UInt16, mtu: Int, _ handler: (@LoopActor (RawBytes) -> Void)?) {
    self.handle = handle
    partLimit = mtu - 1
    self.handler = handler
  }

  var nextRequest: [UInt8] {
    value.isEmpty
      ? ATTReadRequest(handle: handle).bytes
      : ATTReadBlobRequest(handle: handle, offset: UInt16(truncatingIfNeeded: value.count)).bytes
  }

  func take(_ answer: GATTWaiter.Outcome) {
    switch answer {
    // An opcode that the channel has compared, then the part.
    case .success(let response):
      value.append(contentsOf: response.dropFirst())
      if value.count > ATT.maximumValueLength {
        outcome = .failure(.malformed(.valueTooLong))
        return
      }
      // A full PDU means that there may be more; at exactly the limit there cannot.
      if response.count - 1 < partLimit || value.count == ATT.maximumValueLength { end() }
    case .failure(.refused(_, _, let code))
    where !value.isEmpty && (code == .invalidOffset || code == .attributeNotLong): end()
    case .failure(let error): outcome = .failure(error)
    }
  }

  private func end() {
    outcome = .success(value)
    if let handler { value.withUnsafeBytes(handler) }
  }
}

extension GATTClient {
  /// Reads a value of any length, with Read Blob where it does not fit one PDU. A long value is not atomic.
  ///
  /// A wearable that is short of resources (0x11) or says "unlikely" (0x0E) is asked again, twice, a second apart.
  public func read(_ handle: UInt16) async throws(GATTError) -> [UInt8] { try await read(handle, in: nil) }

  /// Reads a value and hands it over during the call that brought its last part. An answer and a notification that
  /// follows it often come in one connection event: a flow that waits for the answer goes on only after both, and would
  /// take the older value for the newer one.
  ///
  /// - Parameter handler: called once, and only if the read succeeds; the bytes are valid during the call.
  public func read(_ handle: UInt16, _ handler: @escaping @LoopActor (RawBytes) -> Void) async throws(GATTError) {
    _ = try await retrying { () throws(GATTError) in try await self.readOnce(handle, nil, handler) }
  }

  func read(_ handle: UInt16, in procedure: GATTProcedure?) async throws(GATTError) -> [UInt8] {
    try await retrying { () throws(GATTError) in try await self.readOnce(handle, procedure, nil) }
  }

  private func readOnce(
    _ handle: UInt16, _ procedure: GATTProcedure?, _ handler: (@LoopActor (RawBytes) -> Void)?
  ) async throws(GATTError) -> [UInt8] {
    let reading = GATTReading(handle, mtu: mtu, handler)
    while true {
      do throws(GATTError) {
        _ = try await exchange(reading.nextRequest, procedure) { reading.take($0) }
      } catch {
        // Without an outcome it was not even asked; what a refusal means, the reading knows.
        if reading.outcome == nil { throw error }
      }
      if let outcome = reading.outcome { return try outcome.get() }
    }
  }
}
