// What a characteristic says unasked: who hears it, and when an indication of it is confirmed.

import EventLoop

extension GATTClient {
  /// Switches notifications on, or indications where there are no notifications. The handler is in place before the
  /// wearable is told, as the first value may overtake the answer; the bytes it gets are valid during the call.
  /// Replaces an earlier handler.
  ///
  /// - Parameter holdsConfirmation: indications of it are confirmed by `confirm` alone. The wearable sends no other
  ///   until then, and ends the link after 30 s.
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

  /// An indication was handed over that `confirm` has yet to answer. Asked by a handler, it is the one that it was
  /// given.
  public var owesConfirmation: Bool { channel.owesConfirmation }

  /// Confirms the indication that is owed a confirmation; nothing where none is, or the link has ended.
  public func confirm() {
    channel.confirmHeld()
    flush()
  }

  /// Whether the wearable answers a question that is asked now. Then it has heard all that was sent before, a
  /// confirmation too, which has no answer of its own.
  ///
  /// - Parameter handle: of any attribute; a refusal is an answer.
  public func isHeard(at handle: UInt16) async -> Bool {
    do throws(GATTError) {
      _ = try await exchange(ATTReadRequest(handle: handle).bytes, nil)
      return true
    } catch {
      if case .refused = error { return true }
      return false
    }
  }

  /// The wearable ended the link itself; false as long as it lasts.
  public var wasHungUp: Bool { end == .closed(.peerClosed) }

  /// Switches both off. Values that are still on their way reach the handler until the wearable has answered, none
  /// after that.
  public func unsubscribe(_ characteristic: GATTCharacteristic) async throws(GATTError) {
    guard let configuration = characteristic.configurationHandle else { throw .missing }
    defer { forget(characteristic.valueHandle) }
    try await write(configuration, [0, 0])
  }
}
