// libFuzzer harness: PDUs from a wearable against the channel and the servers, and kept databases against their
// decoder. Compiled together with Sources/Bluetooth by ./run.

import EventLoop

/// The first byte chooses what the rest is: 0 a kept database, 1 PDUs to a server with a database, else PDUs to our
/// channel. PDUs are length byte pairs and bytes; a length with its top bit set lets time pass instead.
func fuzzATT(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var reader = ByteReader(RawBytes(start: start, count: count))
  switch reader.u8() {
  case nil: break
  case 0: fuzzCache(reader.rest())
  case 1: fuzzServer(&reader)
  default: fuzzChannel(&reader)
  }
  return 0
}

private func fuzzCache(_ bytes: RawBytes) {
  guard let cache = GATTCache(decoding: bytes) else { return }
  precondition(cache.encode().withUnsafeBytes { GATTCache(decoding: $0) } == cache)
}

private let database = [
  GATTServiceDefinition(
    0x180D,
    [
      GATTCharacteristicDefinition(0x2A37, .notify),
      GATTCharacteristicDefinition(0x2A38, [.read, .write, .writeWithoutResponse], value: [1]),
    ]),
  GATTServiceDefinition(
    BluetoothUUID(high: 1, low: 2),
    [
      GATTCharacteristicDefinition(
        BluetoothUUID(high: 1, low: 3), [.read, .write, .indicate], value: [UInt8](repeating: 7, count: 60))
    ]),
]

private func fuzzServer(_ reader: inout ByteReader) {
  var server = GATTServer(database)
  while let length = reader.u16(), let pdu = reader.take(min(Int(length & 0x3FF), reader.remaining)) {
    let response = server.respond(to: pdu)
    let isRequest = pdu.first.map { ATTRole(of: $0) == .request } ?? false
    precondition((response != nil) == isRequest)
    precondition((response?.count ?? 0) <= server.mtu && (23...517).contains(server.mtu))
  }
}

private func fuzzChannel(_ reader: inout ByteReader) {
  var channel = ATTChannel(server: .empty, floodGuard: .standard)
  var now = Instant(nanoseconds: 0)
  var id: UInt64 = 0
  var open: Set<UInt64> = []
  while let length = reader.u16() {
    if length & 0x8000 != 0 {
      now = now + .milliseconds(Int64(length & 0x7FFF))
      if channel.expire(now) { open = [] }
      id += 1
      if channel.submit(ATTReadBlobRequest(handle: 3, offset: length).bytes, id: id, now: now) { open.insert(id) }
    } else if let pdu = reader.take(min(Int(length & 0x3FF), reader.remaining)) {
      switch channel.receive(pdu, now: now) {
      case .response(let id, _), .refused(let id, _, _): precondition(open.remove(id) != nil)
      case .value(_, let value): precondition(value.count <= pdu.count)
      case .values(let list): list.forEach { _, value in precondition(value.count <= pdu.count) }
      case .failed: open = []
      case .nothing: break
      }
    }
    // Every other time the bearer is full.
    if length & 1 == 0 {
      while let outgoing = channel.takeOutgoing() {
        precondition(channel.failure == nil && outgoing.pdu.count <= channel.mtu)
      }
    } else if let outgoing = channel.takeOutgoing() {
      channel.putBack(outgoing)
    }
    precondition((channel.deadline == nil) == open.isEmpty)
  }
}
