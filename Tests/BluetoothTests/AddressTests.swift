import Bluetooth
import Testing

@Suite("Addresses and types as text")
struct AddressTests {
  @Test("an address is read in any case and printed in upper case")
  func address() {
    let address = BluetoothAddress("f0:F1:f2:F3:f4:00", kind: .leRandom)
    #expect(address == BluetoothAddress(value: 0xF0F1_F2F3_F400, kind: .leRandom))
    #expect(address?.description == "F0:F1:F2:F3:F4:00")
  }

  @Test(
    "a sign is no digit of an address",
    arguments: [
      "+0:F1:F2:F3:F4:00", "F0:F1:F2:F3:F4:-0", "F0:F1:F2:F3:F4", "F0:F1:F2:F3:F4:00:", "F0:F1:F2:F3:F4:0",
      "F0F1F2F3F400",
    ])
  func noAddress(text: String) { #expect(BluetoothAddress(text, kind: .lePublic) == nil) }

  @Test("a type is read in its short and its long form, in any case")
  func type() {
    #expect(BluetoothUUID("180d") == 0x180D)
    #expect(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FB") == 0x180D)
    #expect(
      BluetoothUUID("FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8")?.description == "fb005c80-02e7-f387-1cad-8acd2d8df0c8")
  }

  @Test(
    "a sign is no digit of a type",
    arguments: [
      "+80D", "-80D", "+b005c80-02e7-f387-1cad-8acd2d8df0c8", "fb005c80-02e7-f387-+cad-8acd2d8df0c8", "80D", "",
    ])
  func noType(text: String) { #expect(BluetoothUUID(text) == nil) }
}
