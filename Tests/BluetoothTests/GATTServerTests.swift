import Bluetooth
import EventLoop
import Testing

/// A strap as a table: Generic Access at 1, Heart Rate at 6, a vendor's service at 13.
private let strap = GATTServer([
  GATTServiceDefinition(
    0x1800,
    [
      GATTCharacteristicDefinition(0x2A00, .read, value: Array("Strap".utf8)),  // 2, 3
      GATTCharacteristicDefinition(0x2A01, .read, value: [0x41, 0x03]),  // 4, 5
    ]),
  GATTServiceDefinition(
    0x180D,
    [
      GATTCharacteristicDefinition(0x2A37, .notify),  // 7, 8, configuration 9
      GATTCharacteristicDefinition(0x2A38, .read, value: [1]),  // 10, 11
      GATTCharacteristicDefinition(0x2A39, .write, maximumLength: 1),  // 12, 13
    ]),
  GATTServiceDefinition(
    vendor,
    [
      GATTCharacteristicDefinition(
        // 15, 16, configuration 17
        vendorValue, [.read, .write, .writeWithoutResponse, .indicate], value: [UInt8](repeating: 7, count: 40),
        descriptors: [GATTDescriptorDefinition(0x2901, value: Array("raw".utf8))])  // 18
    ]),
])
private let vendor = BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
private let vendorValue = BluetoothUUID(high: 0xFB00_5C81_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
private let vendorBytes = "C8F08D2DCD8AAD1C87F3E702805C00FB"
private let vendorValueBytes = "C8F08D2DCD8AAD1C87F3E702815C00FB"

@Suite("A GATT server over a table of attributes")
struct GATTServerTests {
  @Test(
    "answers every request by the book",
    arguments: [
      // Exchange: it states its own value.
      ("02F700", "030502"),
      // Services, 16 and 128 bits in answers of their own.
      ("100100FFFF0028", "1106010005000018060 00D000D18"),
      ("100E00FFFF0028", "11140E001200" + vendorBytes),
      ("101300FFFF0028", "011013000A"),
      ("100100FFFF0128", "011001000A"),
      ("100100FFFF0328", "0110010010"),
      // By value, in either spelling.
      ("060100FFFF00280D18", "0706000D00"),
      ("060100FFFF0028FB349B5F80000080001000000D180000", "0706000D00"),
      ("060100FFFF0028" + vendorBytes, "070E001200"),
      ("060100FFFF00280F18", "010601000A"),
      ("060100FFFF01297261", "010601000A"),
      ("060100FFFF0129726177", "0712001200"),
      // Declarations and values by type.
      ("0806000D000328", "0907070010080 0372A0A00020B00382A0C00080D00392A"),
      ("080100FFFF002A", "09070300 5374726170"),
      ("080100FFFF372A", "0108080002"),
      ("080100FFFFFF2A", "010801000A"),
      // Descriptors.
      ("0409000900", "050109000229"),
      ("0410001200", "0502 1000" + vendorValueBytes),
      ("0411001200", "0501 11000229 12000129"),
      ("041300FFFF", "010413000A"),
      // Values.
      ("0A0300", "0B5374726170"),
      ("0A0800", "010A080002"),
      ("0A1300", "010A130001"),
      ("0A1000", "0B" + String(repeating: "07", count: 22)),
      ("0C10002600", "0D0707"),
      ("0C10002800", "0D"),
      ("0C10002900", "010C100007"),
      ("0E03000500", "0F53747261704103"),
      ("0E03000800", "010E080002"),
      ("2003000500", "2105005374726170 02004103"),
      // Writes.
      ("120D0001", "13"),
      ("120D000102", "01120D000D"),
      ("12030041", "0112030003"),
      ("1209000100", "13"),
      ("1209000200", "0112090013"),
      ("12090001", "011209000D"),
      ("1213000100", "0112130001"),
      // Prepared writes.
      ("1610000000AABB", "1710000000AABB"),
      ("1603000000AA", "0116030003"),
      ("1801", "19"),
      ("1802", "0118000004"),
      ("1400", "0114000006"),
    ])
  func answers(_ request: String, _ expected: String) throws {
    var server = strap
    let response = try server.respond(to: request)
    #expect(response.map { hexadecimal($0) } == expected.filter { $0 != " " })
  }

  @Test(
    "commands, responses and empty PDUs are not answered",
    arguments: ["52100001", "D20300", "", "0B41", "13", "1B080001", "1D080001", "1E", "03F700"])
  func silence(_ pdu: String) throws {
    var server = strap
    #expect(try server.respond(to: pdu) == nil)
  }

  @Test("the MTU is settled once and bounds every answer")
  func mtu() throws {
    var server = strap
    _ = try server.respond(to: "022800")
    #expect(server.mtu == 40)
    _ = try server.respond(to: "020002")
    #expect(server.mtu == 40)
    #expect(try server.respond(to: "0A1000")?.count == 40)
    #expect(server.notification(at: 8, value: [UInt8](repeating: 1, count: 100)).count == 40)
    server.reset()
    #expect(server.mtu == 23)
  }

  @Test("subscriptions are remembered for the link, and writes are reported in order")
  func subscriptions() throws {
    var server = strap
    #expect(!server.isSubscribed(to: 0x2A37))
    _ = try server.respond(to: "1209000100")
    _ = try server.respond(to: "52100001")
    #expect(server.isSubscribed(to: 0x2A37))
    #expect(server.subscription(at: 8) == 1)
    let writes = server.takeWrites()
    #expect(writes.map(\.handle) == [9, 16])
    #expect(writes.map(\.characteristic) == [0x2A37, vendorValue])
    #expect(writes.map(\.attribute) == [.clientCharacteristicConfiguration, vendorValue])
    #expect(writes.map(\.wasAnswered) == [true, false])
    #expect(server.takeWrites().isEmpty)
    #expect(server.value(of: vendorValue) == [1])
    #expect(server.notification(for: 0x2A37, value: [0, 72]).map { hexadecimal($0) } == "1B08000048")
    #expect(hexadecimal(server.indication(at: 16, value: [5])) == "1D100005")
    server.reset()
    #expect(!server.isSubscribed(to: 0x2A37))
    #expect(server.value(of: vendorValue) == [1])
  }

  @Test("a write command that is not allowed changes nothing")
  func refusedCommand() throws {
    var server = strap
    _ = try server.respond(to: "520D0001")
    _ = try server.respond(to: "52030001")
    #expect(server.value(at: 13) == [])
    #expect(server.value(of: 0x2A00) == Array("Strap".utf8))
    #expect(server.takeWrites().isEmpty)
  }

  @Test("prepared parts become one value, or no value at all")
  func prepared() throws {
    var server = strap
    _ = try server.respond(to: "1610000000AABB")
    _ = try server.respond(to: "1610000200CC")
    #expect(server.value(of: vendorValue)?.count == 40)
    #expect(try server.respond(to: "1801").map { hexadecimal($0) } == "19")
    #expect(server.value(of: vendorValue) == [0xAA, 0xBB, 0xCC])
    // The second value is too long for its characteristic: the first is not written either.
    _ = try server.respond(to: "1610000000EE")
    _ = try server.respond(to: "160D00000001")
    _ = try server.respond(to: "160D00010002")
    #expect(try server.respond(to: "1801").map { hexadecimal($0) } == "01180D000D")
    #expect(server.value(of: vendorValue) == [0xAA, 0xBB, 0xCC])
    // A gap between parts.
    _ = try server.respond(to: "1610000500EE")
    #expect(try server.respond(to: "1801").map { hexadecimal($0) } == "0118100007")
    // Cancelled parts are gone.
    _ = try server.respond(to: "1610000000EE")
    _ = try server.respond(to: "1800")
    #expect(try server.respond(to: "1801").map { hexadecimal($0) } == "19")
    #expect(server.value(of: vendorValue) == [0xAA, 0xBB, 0xCC])
  }

  @Test("the queue of prepared parts is bounded")
  func preparedBound() throws {
    var server = strap
    for _ in 0..<64 { #expect(try server.respond(to: "1610000000EE")?.first == 0x17) }
    #expect(try server.respond(to: "1610000000EE").map { hexadecimal($0) } == "0116100009")
    #expect(try server.respond(to: "1800").map { hexadecimal($0) } == "19")
    #expect(try server.respond(to: "1610000000EE")?.first == 0x17)
  }
}

extension GATTServer {
  mutating func respond(to text: String) throws -> [UInt8]? {
    let pdu = try #require([UInt8](hexadecimal: text.filter { $0 != " " }))
    return pdu.withUnsafeBytes { respond(to: $0) }
  }
}
