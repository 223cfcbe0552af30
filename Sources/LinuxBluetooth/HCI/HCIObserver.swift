// Listens to the controller beside the kernel: what links really run with, and whether a command was really sent. Needs
// CAP_NET_RAW; without it the radio works and believes more than it knows.

import Bluetooth
import EventLoop

@LoopActor
final class HCIObserver {
  private let loop: any Loop
  private let kernel: any RadioKernel
  private let counters: RadioCounters
  private var port: (any ManagementPort)?
  /// What each link runs with, by handle, since this observer listens. Handles are reused; their old links are
  /// overwritten.
  private(set) var rhythms: [UInt16: HCIEvent.Rhythm] = [:]
  /// Why there is none; nil while it listens, and before the first try.
  private(set) var trouble: SystemError?
  /// Every event, after `rhythms` took it in.
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

  /// Takes what was said so far, before something is judged by it.
  func catchUp() { port?.drain() }

  /// Sends LE Connection Update; 0 or the errno.
  func update(_ handle: UInt16, to wanted: ConnectionParameters) -> Int32? {
    port?.send(HCICommand.connectionUpdate(handle, wanted))
  }

  /// Sends Disconnect: for a link whose name another one has in the kernel, where only the handle tells them apart.
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
