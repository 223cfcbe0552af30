// Reading a value with as many requests as it needs.

internal import EventLoop

/// State of a running read. Each part is appended during the call that delivers it.
@LoopActor
private final class GATTReading {
  /// The whole value, or the error; nil while parts are missing.
  private(set) var outcome: GATTWaiter.Outcome?
  private var value: [UInt8] = []
  private let handle: UInt16
  /// Longest part that one response holds.
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
    // The first byte is the opcode, which the channel has checked; the part follows.
    case .success(let response):
      value.append(contentsOf: response.dropFirst())
      if value.count > ATT.maximumValueLength {
        outcome = .failure(.malformed(.valueTooLong))
        return
      }
      // A full PDU means that more may follow, unless the value has reached its longest length.
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
  /// Reads a value of any length, with Read Blob if it does not fit one PDU. A long value is not atomic.
  ///
  /// If the wearable reports insufficient resources (0x11) or "unlikely" (0x0E), the read is repeated twice, a second
  /// apart.
  ///
  /// - Throws: why a request failed, see `GATTError`; `refused` with these two codes only after the third read.
  public func read(_ handle: UInt16) async throws(GATTError) -> [UInt8] { try await read(handle, in: nil) }

  /// Reads a value and delivers it during the call that brought its last part. A response and a notification after it
  /// often arrive in the same connection event. A task that awaits the response resumes only after both, and would take
  /// the older value for the newer one.
  ///
  /// - Parameter handler: called once, and only if the read succeeds; the bytes are valid during the call.
  /// - Throws: as `read(_:)`.
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
        // Without an outcome the request was never sent. Otherwise `GATTReading` decides what the error means.
        if reading.outcome == nil { throw error }
      }
      if let outcome = reading.outcome { return try outcome.get() }
    }
  }
}
