import Bluetooth
import EventLoop

/// A bearer with a script at the other end: it records what was sent and delivers what it is told to.
@LoopActor
final class ScriptedBearer: Bearer {
  let address = BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom)
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?

  private(set) var sent: [[UInt8]] = []
  private(set) var closes: [Bool] = []
  /// How many more PDUs are taken before the queue is full; nil for any number.
  var room: Int?

  init() {}

  func send(_ pdu: [UInt8]) -> Bool {
    if !closes.isEmpty { return true }
    if let room {
      if room == 0 { return false }
      self.room = room - 1
    }
    sent.append(pdu)
    return true
  }

  func close(immediately: Bool) { closes.append(immediately) }

  func takeSent() -> [UInt8]? { sent.isEmpty ? nil : sent.removeFirst() }

  func deliver(_ pdu: [UInt8]) {
    guard closes.isEmpty else { return }
    pdu.withUnsafeBytes { onReceive?($0) }
  }

  func end(_ error: LinkError) {
    guard closes.isEmpty else { return }
    onClosed?(error)
  }

  func becomeWritable() {
    room = nil
    onWritable?()
  }
}
