import Bluetooth
import EventLoop
import Testing

@testable import LinuxBluetooth

private func event(_ hex: String) -> ManagementEvent? {
  guard let bytes = [UInt8](hexadecimal: hex) else { return nil }
  return bytes.withUnsafeBytes { ManagementFrame($0).flatMap { ManagementEvent($0) } }
}

private func report(_ bytes: [UInt8]) -> (
  address: BluetoothAddress, rssi: Int8?, connectable: Bool, response: Bool, data: [UInt8]
)? {
  bytes.withUnsafeBytes { raw in
    ManagementFrame(raw).flatMap { AdvertisementReport($0) }.map {
      ($0.address, $0.rssi, $0.isConnectable, $0.isScanResponse, Array($0.data))
    }
  }
}

@Suite("Management frames")
struct ManagementCodecTests {
  static let address = BluetoothAddress(value: 0xF0F1_F2F3_F401, kind: .leRandom)
  /// The bytes after the header that the kernel's documentation gives for each command.
  static let commands: [(ManagementCommand, UInt16, String)] = [
    (.readVersion, 0x0001, ""), (.confirm(address, true), 0x001C, "01F4F3F2F1F002"),
    (.confirm(address, false), 0x001D, "01F4F3F2F1F002"),
    (.passkey(address, 123456), 0x001E, "01F4F3F2F1F002 40E20100"), (.passkey(address, nil), 0x001F, "01F4F3F2F1F002"),
    (.unpair(address), 0x001B, "01F4F3F2F1F002 01"),
    (
      .loadIdentityKeys([IdentityKey(address: address, key: [UInt8](repeating: 7, count: 16))]), 0x0030,
      "0100 01F4F3F2F1F002 07070707070707070707070707070707"
    ),
    (.loadLongTermKeys([longTermKey()]), 0x0013, "0100" + hexadecimal(longTermKey().record)), (.readInfo, 0x0004, ""),
    (.setPowered(true), 0x0005, "01"), (.setPowered(false), 0x0005, "00"),
    (.setConnectable(false), 0x0007, "00"), (.setBondable(false), 0x0009, "00"), (.setLowEnergy(true), 0x000D, "01"),
    (.loadLongTermKeys([]), 0x0013, "0000"), (.disconnect(address), 0x0014, "01F4F3F2F1F002"),
    (.getConnections, 0x0015, ""),
    (.setInputOutputCapability(3), 0x0018, "03"), (.startDiscovery, 0x0023, "06"), (.stopDiscovery, 0x0024, "06"),
    (.setAdvertising(false), 0x0029, "00"), (.setClassic(false), 0x002A, "00"),
    (.setSecureConnections(true), 0x002D, "01"),
    (.loadIdentityKeys([]), 0x0030, "0000"), (.removeAllDevices, 0x0034, "00000000000000"),
    (.loadConnectionParameters(address, .foreground), 0x0035, "0100 01F4F3F2F1F002 0C00 1800 0000 9001"),
    (.readExtendedIndexList, 0x003C, ""),
    (.getPhysicalLayers, 0x0044, ""), (.setPhysicalLayers(0x1E00), 0x0045, "001E0000"),
    (
      .setDefaultConfiguration([.monitorScan(interval: 0xA0, window: 0x50), .connectTimeout(3000)]), 0x004C,
      "130002A000 1400025000 1B0002B80B"
    ),
    (
      .setDefaultConfiguration([.connectScan(interval: 0x60, window: 0x30), .connection(.foreground)]), 0x004C,
      "1500026000 1600023000 1700020C00 1800021800 1900020000 1A00029001"
    ),
    (.addMonitor([.wearableFlags]), 0x0052, "01 01 00 01 06" + String(repeating: "00", count: 30)),
    (.removeMonitor(0), 0x0053, "0000"),
  ]

  @Test("carry each command as documented", arguments: commands)
  func command(_ command: ManagementCommand, _ opcode: UInt16, _ parameters: String) throws {
    let expected = try #require([UInt8](hexadecimal: parameters))
    #expect(command.opcode == opcode)
    #expect(command.parameters == expected)
    let frame = command.frame(index: 2)
    let parsed = frame.withUnsafeBytes { bytes in
      ManagementFrame(bytes).map { ($0.code, $0.index, Array($0.parameters)) }
    }
    #expect(parsed?.0 == opcode)
    #expect(parsed?.1 == 2)
    #expect(parsed?.2 == expected)
    #expect(!command.name.isEmpty)
  }

  static let events: [(String, ManagementEvent)] = [
    ("0100 0000 0700 0500 00 11020000", .reply(opcode: 5, status: .success, parameters: [0x11, 2, 0, 0])),
    ("0200 0000 0300 0500 0F", .reply(opcode: 5, status: .notPowered, parameters: [])),
    ("0300 0000 0100 07", .controllerError(7)), ("0400 0100 0000", .indexAdded), ("0500 0100 0000", .indexRemoved),
    ("2000 0100 0200 0001", .indexAdded), ("2100 0100 0200 0001", .indexRemoved),
    ("0600 0000 0400 01020000", .newSettings([.powered, .lowEnergy])),
    ("0B00 0000 1000 01F4F3F2F1F002 08000000 0300 020106", .connected(address)),
    ("0B00 0000 0D00 01F4F3F2F1F002 08000000 0000", .connected(address)),
    ("0C00 0000 0800 01F4F3F2F1F002 01", .disconnected(address, .timeout)),
    ("0C00 0000 0800 01F4F3F2F1F002 77", .disconnected(address, .unknown)),
    ("0D00 0000 0800 01F4F3F2F1F002 07", .connectFailed(address, .noResources)),
    ("1B00 0000 0700 01F4F3F2F1F002", .deviceRemoved),
    (
      "1C00 0000 1000 01F4F3F2F1F002 01 2800 5000 0400 5802", .newConnectionParameters(address, .background)
    ),
    ("0A00 0000 2500 01" + hexadecimal(longTermKey().record), .newLongTermKey(isToBeKept: true, longTermKey())),
    ("0F00 0000 0C00 01F4F3F2F1F002 01 00000000", .confirmationRequest(address, isPlain: true, 0)),
    ("0F00 0000 0C00 01F4F3F2F1F002 00 40E20100", .confirmationRequest(address, isPlain: false, 123456)),
    ("1000 0000 0700 01F4F3F2F1F002", .passkeyRequest(address)),
    ("1100 0000 0800 01F4F3F2F1F002 05", .authenticationFailed(address, .authenticationFailed)),
    ("1700 0000 0C00 01F4F3F2F1F002 40E20100 02", .passkeyNotification(address, 123456)),
    (
      "1800 0000 1E00 01 0102030405 46 01F4F3F2F1F002 07070707070707070707070707070707",
      .newIdentityKey(
        isToBeKept: true, random: BluetoothAddress(value: 0x4605_0403_0201, kind: .leRandom),
        IdentityKey(address: address, key: [UInt8](repeating: 7, count: 16)))
    ), ("2C00 0000 0200 0100", .monitorRemoved(1)), ("0700 0000 0300 000000", .other(7)),
  ]

  @Test("give each event", arguments: events)
  func parse(_ hex: String, _ expected: ManagementEvent) {
    #expect(event(hex) == expected)
  }

  @Test("that are cut anywhere, or too long, or of a length that lies, are no events", arguments: events)
  func hostile(_ hex: String, _ expected: ManagementEvent) throws {
    let bytes = try #require([UInt8](hexadecimal: hex))
    for count in 0..<bytes.count {
      #expect(event(hexadecimal(bytes[..<count])) == nil, "\(count) of \(bytes.count) bytes")
    }
    #expect(event(hexadecimal(bytes + [0])) == nil, "more than the header says")
    if case .reply(_, .success, _) = expected { return }
    if case .other = expected { return }
    let body = bytes.count - 6
    if body > 0 {
      let shorter = Array(bytes[..<4]) + half(UInt16(body - 1)) + bytes[6..<(bytes.count - 1)]
      #expect(event(hexadecimal(shorter)) == nil, "one byte less, and the header agrees")
    }
    if expected != .indexAdded, expected != .indexRemoved {
      let longer = Array(bytes[..<4]) + half(UInt16(body + 1)) + bytes[6...] + [0]
      #expect(event(hexadecimal(longer)) == nil, "one byte more, and the header agrees")
    }
  }

  @Test("give advertisements with and without a monitor, and know what 127 dBm and the flags mean")
  func advertisements() throws {
    let plain = try #require([UInt8](hexadecimal: "1200 0000 1100 01F4F3F2F1F002 C4 00000000 0300 020106"))
    let heard = try #require(report(plain))
    #expect(heard.address == Self.address)
    #expect(heard.rssi == -60)
    #expect(heard.connectable)
    #expect(!heard.response)
    #expect(heard.data == [2, 1, 6])
    let monitored = try #require([UInt8](hexadecimal: "2F00 0000 1000 0000 01F4F3F2F1F001 7F 24000000 0000"))
    let other = try #require(report(monitored))
    #expect(other.address.kind == .lePublic)
    #expect(other.rssi == nil)
    #expect(!other.connectable)
    #expect(other.response)
    #expect(other.data.isEmpty)
    for bytes in [plain, monitored] {
      for count in 0..<bytes.count { #expect(report(Array(bytes[..<count])) == nil) }
      for count in 6..<bytes.count {
        #expect(report(Array(bytes[..<4]) + half(UInt16(count - 6)) + bytes[6..<count]) == nil)
      }
      #expect(report(bytes + [0]) == nil)
    }
    var wrongKind = plain
    wrongKind[12] = 9
    #expect(report(wrongKind) == nil)
    let endless =
      [0x12, 0, 0, 0] + half(14 + 1651) + Array(plain[6..<18]) + half(1651) + [UInt8](repeating: 0, count: 1651)
    #expect(report(endless) == nil)
    #expect(
      report(
        [0x12, 0, 0, 0] + half(14 + 1650) + Array(plain[6..<18]) + half(1650) + [UInt8](repeating: 0, count: 1650))?
        .data.count == 1650)
  }

  @Test("of any bytes are parsed without a trap")
  func noise() {
    var state: UInt64 = 42
    func next() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    for _ in 0..<20_000 {
      let body = (0..<Int(next() % 40)).map { _ in next() }
      let frame = [next() % 0x31, 0, 0, 0] + half(UInt16(body.count)) + body
      _ = event(hexadecimal(frame))
      _ = report(frame)
      _ = AdapterInfo(body)
      _ = ManagementReply.indexes(body)
      _ = ManagementReply.connections(body)
      _ = ManagementReply.physicalLayers(body)
    }
  }

  @Test("of replies are read whole or not at all")
  func replies() throws {
    let info =
      [1, 0, 0, 0xCC, 0xBB, 0xAA, 9, 0, 0] + word(0x0001_3E3F) + word(0x0000_0201) + [UInt8](repeating: 0, count: 263)
    let parsed = try #require(AdapterInfo(info))
    #expect(parsed.address == 0xAABB_CC00_0001)
    #expect(parsed.current == [.powered, .lowEnergy])
    #expect(AdapterInfo(Array(info.dropLast())) == nil)
    #expect(AdapterInfo(info + [0]) == nil)
    let indexes = try #require(ManagementReply.indexes([3, 0, 0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 0, 3]))
    #expect(indexes.map(\.index) == [0, 2], "unconfigured controllers are left out")
    #expect(indexes.map(\.bus) == [.usb, .uart])
    #expect(ManagementReply.indexes([2, 0, 0, 0, 0, 1]) == nil)
    #expect(ManagementReply.connections([1, 0] + Self.address.managementBytes) == [Self.address])
    #expect(ManagementReply.connections([2, 0] + Self.address.managementBytes) == nil)
    #expect(ManagementReply.connections([1, 0, 1, 2, 3, 4, 5, 6, 99]) == [])
    #expect(ManagementReply.handle([1]) == nil)
  }

  @Test("have statuses with names")
  func statuses() {
    #expect("\(ManagementStatus.success)" == "success")
    #expect("\(ManagementStatus.permissionDenied)" == "permission denied")
    #expect("\(ManagementStatus(rawValue: 0x44))" == "status 0x44")
  }
}
