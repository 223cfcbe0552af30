// Raw HCI socket that observes the controller: actual connection parameters, and whether a command was sent. Needs
// CAP_NET_RAW; without it the radio works, but assumes what it cannot observe.

import Bluetooth
import EventLoop

@LoopActor
final class HCIObserver {
  private let loop: any Loop
  private let kernel: any RadioKernel
  private let counters: RadioCounters
  private var port: (any ManagementPort)?
  /// Connection parameters of each link by handle, observed since the start. Handles are reused, and new links
  /// overwrite old ones.
  private(set) var rhythms: [UInt16: HCIEvent.Rhythm] = [:]
  /// Reason why the socket could not be opened; nil while it is open, and before the first try.
  private(set) var trouble: SystemError?
  /// Called with every event, after `rhythms` was updated.
  var onEvent: (@LoopActor (HCIEvent) -> Void)?

  init(loop: any Loop, kernel: any RadioKernel, counters: RadioCounters) {
    self.loop = loop
    self.kernel = kernel
    self.counters = counters
  }

  var isListening: Bool { port != nil }

  func listen(to index: UInt16) {
    close()
    do throws(SystemError) {
      port = try kernel.openObserver(
        index, receive: { [weak self] in self?.receive($0) },
        failed: { [weak self] in
          self?.close()
          self?.trouble = $0
        })
      trouble = nil
    } catch {
      trouble = error
    }
  }

  /// Reads all pending events, so that a decision rests on the newest state.
  func catchUp() { port?.drain() }

  /// Sends LE Connection Update; 0 or the errno.
  func update(_ handle: UInt16, to wanted: ConnectionParameters) -> Int32? {
    port?.send(HCICommand.connectionUpdate(handle, wanted))
  }

  /// Sends Disconnect, for a link that shares its address in the kernel with another one: only the handle distinguishes
  /// them.
  func disconnect(_ handle: UInt16) { _ = port?.send(HCICommand.disconnect(handle)) }

  func close() {
    port?.close()
    port = nil
    rhythms = [:]
  }

  private func receive(_ packet: RawBytes) {
    guard let event = HCIEvent(packet) else {
      counters.hciMalformed += 1
      return
    }
    switch event {
    case .connected(0, let handle, let rhythm), .updated(0, let handle, let rhythm): rhythms[handle] = rhythm
    case .disconnected(let handle, _): rhythms[handle] = nil
    case .dataLengthChanged: counters.dataLengthChanges += 1
    case .physicalLayerChanged: counters.physicalLayerChanges += 1
    default: break
    }
    onEvent?(event)
  }
}
