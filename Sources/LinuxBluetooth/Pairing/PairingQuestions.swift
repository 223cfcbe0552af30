// Pairing questions: each is asked once, and answered once with a fitting answer.

import Bluetooth
import EventLoop
import Logging

/// Questions that the kernel waits for, by link.
@LoopActor
final class PairingQuestions {
  private struct Request {
    /// Address as the kernel used it, which the reply must repeat.
    let address: BluetoothAddress
    let kind: PairingRequest.Kind
  }

  /// Passkeys are six decimal digits.
  private static let digits: ClosedRange<UInt32> = 0...999_999

  private let channel: ManagementChannel
  private let counters: RadioCounters
  private let logger: Logger
  private var requests: [BluetoothAddress: Request] = [:]

  init(channel: ManagementChannel, counters: RadioCounters, logger: Logger) {
    self.channel = channel
    self.counters = counters
    self.logger = logger
  }

  /// Returns whether the question is new: shown digits are reported again with each one typed, and any event may come
  /// twice.
  func note(_ link: BluetoothAddress, _ address: BluetoothAddress, _ kind: PairingRequest.Kind) -> Bool {
    if requests[link]?.kind == kind { return false }
    counters.pairingRequests += 1
    requests[link] = Request(address: address, kind: kind)
    return true
  }

  func answer(_ link: BluetoothAddress, _ answer: PairingAnswer, index: UInt16) {
    guard let request = requests[link] else { return }
    let reply: ManagementCommand
    switch (request.kind, answer) {
    case (.justWorks, .yes), (.compare, .yes): reply = .confirm(request.address, true)
    case (.justWorks, .no), (.compare, .no): reply = .confirm(request.address, false)
    case (.passkey, .passkey(let number)) where Self.digits.contains(number): reply = .passkey(request.address, number)
    case (.passkey, .no): reply = .passkey(request.address, nil)
    default: return  // answer does not fit the question
    }
    requests[link] = nil
    if answer == .no { counters.pairingsRefused += 1 }
    channel.send(reply, index: index) { [logger] outcome in
      if case .failure(let error) = outcome { logger.info("\(reply.name) for \(link): \(error)") }
    }
  }

  func forget(_ link: BluetoothAddress) { requests[link] = nil }
  func forgetAll() { requests = [:] }
}
