import Bluetooth
import GATTServices
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Reconnection Configuration")
struct ReconnectionTests {
  let driver = StandardDriver([.heartRate, .reconnection])
  let decoder: any LiveDecoder
  let sink = RecordingSink()

  init() { decoder = driver.makeDecoder() }

  private func tell(_ characteristic: BluetoothUUID, _ hex: String) throws {
    try decoder.tell(driver, characteristic, hex, into: sink)
  }

  @Test("bit 4 of its settings says that it has no data left to send, and that it has again")
  func drained() throws {
    try tell(ReconnectionService.feature, "FFFF 020000")
    try tell(ReconnectionService.settings, "03 0000")
    try tell(ReconnectionService.settings, "03 1000")
    try tell(ReconnectionService.settings, "03 EF03")
    #expect(sink.drained == [false, true, false])
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
  }

  @Test("the bit is ignored if its features say that it is not served, and counts if they are not known")
  func untold() throws {
    try tell(ReconnectionService.settings, "03 1000")
    try tell(ReconnectionService.feature, "3412 FDFF03")
    try tell(ReconnectionService.settings, "03 1000")
    #expect(sink.drained == [true, false])
  }

  @Test("its features are three bytes with a check value or without")
  func features() throws {
    func read(_ hex: String) throws -> ReconnectionFeatures {
      try #require(Array(hexadecimal: hex)).withUnsafeBytes { try ReconnectionFeatures($0) }
    }
    let some = try read("3412 070001 AA")
    #expect(some.check == 0x1234 && some.trailingBytes == 1)
    #expect(some.supported == [.enableDisconnect, .readyForDisconnect, .reconnectionTimeout, .init(rawValue: 1 << 16)])
    #expect(try read("FFFF 000000").check == nil)
  }

  @Test("cut or empty values are ignored")
  func cut() {
    #expect(throws: DecodeError.empty) { try tell(ReconnectionService.settings, "") }
    #expect(throws: DecodeError.truncated) { try tell(ReconnectionService.settings, "03 10") }
    #expect(throws: DecodeError.empty) { try tell(ReconnectionService.feature, "") }
    #expect(throws: DecodeError.truncated) { try tell(ReconnectionService.feature, "FFFF 0200") }
    #expect(sink.drained.isEmpty)
  }
}
