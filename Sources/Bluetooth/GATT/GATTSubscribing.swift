// Subscriptions: handlers of notifications and indications, and the confirmation of indications.

import EventLoop

extension GATTClient {
  /// Enables notifications, or indications if there are no notifications. The handler is set before the request is
  /// sent, because the first value may arrive before the response. The bytes that it receives are valid during the
  /// call. Replaces an earlier handler.
  ///
  /// - Parameter holdsConfirmation: only `confirm` confirms its indications. Until then the wearable sends no other
  ///   indication; it ends the link after 30 s.
  /// - Throws: `missing` if the characteristic has no notifications and no indications, or no descriptor that enables
  ///   them. Otherwise why the write of that descriptor failed; the handler is then removed.
  public func subscribe(
    _ characteristic: GATTCharacteristic, holdsConfirmation: Bool = false,
    _ handler: @escaping @LoopActor (RawBytes) -> Void
  ) async throws(GATTError) {
    let mode: UInt8
    if characteristic.properties.contains(.notify) {
      mode = 1
    } else if characteristic.properties.contains(.indicate) {
      mode = 2
    } else {
      throw .missing
    }
    guard let configuration = characteristic.configurationHandle else { throw .missing }
    subscriptions[characteristic.valueHandle] = handler
    if holdsConfirmation {
      channel.heldHandles.insert(characteristic.valueHandle)
    } else {
      channel.heldHandles.remove(characteristic.valueHandle)
    }
    do throws(GATTError) { try await write(configuration, [mode, 0]) } catch {
      forget(characteristic.valueHandle)
      throw error
    }
  }

  func forget(_ handle: UInt16) {
    subscriptions[handle] = nil
    channel.heldHandles.remove(handle)
  }

  /// Whether an indication was delivered that `confirm` has yet to confirm. Within a handler this is the handler's own
  /// indication.
  public var owesConfirmation: Bool { channel.owesConfirmation }

  /// Confirms the outstanding indication. Has no effect without one, or after the end of the link.
  public func confirm() {
    channel.confirmHeld()
    flush()
  }

  /// Whether the wearable responds to a read request. If it does, it has received all PDUs sent before, including a
  /// confirmation, which has no response of its own.
  ///
  /// - Parameter handle: handle of any attribute; an error response counts as a response.
  public func isHeard(at handle: UInt16) async -> Bool {
    do throws(GATTError) {
      _ = try await exchange(ATTReadRequest(handle: handle).bytes, nil)
      return true
    } catch {
      if case .refused = error { return true }
      return false
    }
  }

  /// Whether the wearable ended the link itself; false while the link is open.
  public var wasHungUp: Bool { end == .closed(.peerClosed) }

  /// Disables notifications and indications. Values in flight reach the handler until the wearable has responded, later
  /// ones are dropped.
  ///
  /// - Throws: `missing` without the descriptor that enables them. Otherwise why its write failed; the handler is
  ///   removed all the same.
  public func unsubscribe(_ characteristic: GATTCharacteristic) async throws(GATTError) {
    guard let configuration = characteristic.configurationHandle else { throw .missing }
    defer { forget(characteristic.valueHandle) }
    try await write(configuration, [0, 0])
  }
}
