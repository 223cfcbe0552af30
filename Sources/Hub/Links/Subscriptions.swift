// Receivers of a characteristic's notifications: live values, a visit's session, or both.

import Bluetooth
import EventLoop
import Wearable

/// The subscriptions of one link. A GATT client has one listener for each characteristic; here two may share it.
@LoopActor
final class Subscriptions {
  typealias Handler = @LoopActor (RawBytes) -> Void

  private let client: GATTClient
  private var live: [UInt16: Handler] = [:]
  private var inboxes: [UInt16: Inbox] = [:]
  /// Value handles with indications that the listener for live values confirms.
  private var held: Set<UInt16> = []
  private let liveCount = LiveCount()

  init(_ client: GATTClient) { self.client = client }

  /// Subscribes for live values. The bytes are valid during the call.
  ///
  /// - Parameter holdsConfirmation: the handler calls `GATTClient.confirm`, whatever other listeners there are.
  func listen(_ characteristic: GATTCharacteristic, holdsConfirmation: Bool = false, _ handler: @escaping Handler)
    async throws(GATTError)
  {
    live[characteristic.valueHandle] = handler
    if holdsConfirmation { held.insert(characteristic.valueHandle) }
    do throws(GATTError) { try await subscribe(characteristic) } catch {
      live[characteristic.valueHandle] = nil
      held.remove(characteristic.valueHandle)
      throw error
    }
  }

  /// Subscribes for a session. Idempotent for the same inbox.
  func listen(_ characteristic: GATTCharacteristic, _ inbox: Inbox) async throws(GATTError) {
    if inboxes[characteristic.valueHandle] === inbox { return }
    // An inbox that stores no values only needs the subscription.
    if inbox.limit == 0, live[characteristic.valueHandle] != nil { return }
    inboxes[characteristic.valueHandle] = inbox
    do throws(GATTError) { try await subscribe(characteristic) } catch {
      inboxes[characteristic.valueHandle] = nil
      throw error
    }
  }

  /// Bytes of values, with headers, that only the listener for live values received, as no session requested them.
  var liveBytes: UInt64 { liveCount.bytes }

  /// Drops all subscriptions, as they end with the wearable's database.
  func forget() {
    live = [:]
    inboxes = [:]
    held = []
  }

  private func subscribe(_ characteristic: GATTCharacteristic) async throws(GATTError) {
    let handler = live[characteristic.valueHandle]
    let inbox = inboxes[characteristic.valueHandle]
    let holds = held.contains(characteristic.valueHandle)
    let count = liveCount
    if let handler, inbox?.limit ?? 0 == 0 {
      // A live value costs one addition more than without this class.
      try await client.subscribe(characteristic, holdsConfirmation: holds) { value in
        count.add(value)
        handler(value)
      }
    } else if let inbox {
      try await client.subscribe(characteristic, holdsConfirmation: holds) { value in
        handler?(value)
        inbox.put(Array(value))
      }
    }
  }
}

/// A class apart from `Subscriptions`, which closures of the client must not hold.
@LoopActor
private final class LiveCount {
  private(set) var bytes: UInt64 = 0
  /// Opcode and handle.
  private static let header: UInt64 = 3

  func add(_ value: RawBytes) { bytes &+= UInt64(value.count) + Self.header }
}
