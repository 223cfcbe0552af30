// Writing a value with acknowledgement, in as many parts as it needs.

internal import EventLoop

extension GATTClient {
  /// Writes a value and waits for the response. A value that does not fit one PDU is sent as prepared writes, and each
  /// part is compared with its echo.
  ///
  /// - Parameter value: at most 512 bytes, else `malformed`.
  /// - Throws: why a request failed, see `GATTError`; `malformed` also if an echo differs.
  public func write(_ handle: UInt16, _ value: [UInt8]) async throws(GATTError) {
    try await write(handle, value, in: nil)
  }

  func write(_ handle: UInt16, _ value: [UInt8], in procedure: GATTProcedure?) async throws(GATTError) {
    guard value.count <= ATT.maximumValueLength else { throw .malformed(.valueTooLong) }
    _ = try await retrying { () throws(GATTError) in
      if value.count > self.mtu - 3 {
        try await self.writeLong(handle, value)
      } else {
        try await self.writeOnce(handle, value, procedure)
      }
      return []
    }
  }

  /// Sends a single request without retries, for operations that must not run twice. A request refused for lack of
  /// resources may have been half done.
  ///
  /// - Parameter value: at most `mtu` − 3 bytes, else `malformed`.
  public func writeOnce(_ handle: UInt16, _ value: [UInt8]) async throws(GATTError) {
    guard value.count <= mtu - 3 else { throw .malformed(.valueTooLong) }
    try await writeOnce(handle, value, nil)
  }

  private func writeOnce(_ handle: UInt16, _ value: [UInt8], _ procedure: GATTProcedure?) async throws(GATTError) {
    let request = value.withUnsafeBytes { ATTWriteRequest(handle: handle, value: $0).bytes }
    try await transact(request, procedure) { (_: ATTWriteResponse) in }
  }

  private func writeLong(_ handle: UInt16, _ value: [UInt8]) async throws(GATTError) {
    if let end { throw end }
    try await longWrites.take(loop)
    defer { longWrites.give() }
    do throws(GATTError) {
      var offset = 0
      while offset < value.count {
        let end = min(offset + mtu - 5, value.count)
        let part = Array(value[offset..<end])
        let position = UInt16(truncatingIfNeeded: offset)
        let request = part.withUnsafeBytes { ATTPrepareWriteRequest(handle: handle, offset: position, part: $0).bytes }
        try await transact(request, nil) { (echo: ATTPrepareWriteResponse) throws(GATTError) in
          guard echo.handle == handle, echo.offset == position, echo.part.elementsEqual(part) else {
            throw .malformed(.echo)
          }
        }
        offset = end
      }
      try await transact(ATTExecuteWriteRequest(flags: 1).bytes, nil) { (_: ATTExecuteWriteResponse) in }
    } catch {
      // A later long write must not execute the parts prepared here. The response is ignored.
      requestUnheard(ATTExecuteWriteRequest(flags: 0).bytes)
      throw error
    }
  }
}

/// Mutex for long writes: they run one at a time, the rest wait in order of arrival.
@LoopActor
final class GATTWriteTurn {
  private var isTaken = false
  private var waiting: [GATTWaiter] = []

  /// Throws `busy` if the queue is as long as that of requests may be.
  func take(_ loop: any Loop) async throws(GATTError) {
    guard isTaken else {
      isTaken = true
      return
    }
    guard waiting.count < ATTChannel.maximumRequests else { throw .busy }
    let waiter = GATTWaiter(loop)
    waiting.append(waiter)
    let outcome = await waiter.wait()
    waiting.removeAll { $0 === waiter }
    // The lock passes to the next writer with `isTaken` still set.
    _ = try outcome.get()
  }

  func give() {
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      if next.end(.success([])) { return }
    }
    isTaken = false
  }

  /// Removes and returns all waiting writers; the caller must end them.
  func dismissAll() -> [GATTWaiter] {
    defer { waiting = [] }
    return waiting
  }
}
