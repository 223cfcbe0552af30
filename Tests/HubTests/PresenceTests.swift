import Bluetooth
import EventLoop
import Testing
import Wearable

@testable import Hub

@Suite("Wearables on the air")
struct PresenceTests {
  private func report(
    _ number: UInt64, at second: Int64, rssi: Int8? = -60, data: [UInt8] = [], isScanResponse: Bool = false
  ) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(value: number, kind: .leRandom), rssi: rssi, isConnectable: !isScanResponse,
      isScanResponse: isScanResponse,
      data: data, time: Instant(nanoseconds: second * 1_000_000_000))
  }

  /// Complete list of 16-bit services with the Heart Rate service.
  private let heartRate: [UInt8] = [0x03, 0x03, 0x0D, 0x18]

  private func recogniseHeartRate(_ scanResult: ScanResult) -> (driver: String, kind: String)? {
    scanResult.services.contains(0x180D) ? ("heart-rate", "HR strap") : nil
  }

  @Test("a thousand strangers cannot push a strap out of the table, nor make it grow")
  func strangersDoNotPushStrapsOut() {
    var table = PresenceTable()
    table.hear(report(7, at: 1, data: heartRate), recognise: recogniseHeartRate)
    for stranger in 0..<1000 { table.hear(report(1000 + UInt64(stranger), at: 2), recognise: recogniseHeartRate) }
    #expect(table.entries.count == PresenceTable.limit)
    #expect(table.evictions == 1001 - UInt64(PresenceTable.limit))
    #expect(table[BluetoothAddress(value: 7, kind: .leRandom)]?.isRecognised == true)
  }

  @Test("the name of a scan response and the services of the advertisement make one sighting")
  func responsesAreMerged() {
    var table = PresenceTable()
    table.hear(report(7, at: 1, data: heartRate), recognise: recogniseHeartRate)
    table.hear(
      report(7, at: 1, data: [0x05, 0x09] + Array("HR 7".utf8), isScanResponse: true), recognise: recogniseHeartRate)
    table.hear(report(7, at: 2, data: heartRate), recognise: recogniseHeartRate)
    let heard = table[BluetoothAddress(value: 7, kind: .leRandom)]
    #expect(heard?.scanResult.name == "HR 7")
    #expect(heard?.scanResult.services == [0x180D])
    #expect(heard?.lastHeard == Instant(nanoseconds: 2_000_000_000))
  }

  @Test("a scan response alone does not make a wearable connectable")
  func responsesAreNotConnectable() {
    var table = PresenceTable()
    table.hear(report(7, at: 1, data: heartRate, isScanResponse: true), recognise: recogniseHeartRate)
    #expect(table[BluetoothAddress(value: 7, kind: .leRandom)]?.lastConnectable == nil)
  }

  @Test("signal strength is smoothed: one reflection does not bring a far wearable near")
  func strengthIsSmoothed() throws {
    var table = PresenceTable()
    table.hear(report(7, at: 1, rssi: -80), recognise: recogniseHeartRate)
    table.hear(report(7, at: 2, rssi: -40), recognise: recogniseHeartRate)
    table.hear(report(7, at: 3, rssi: nil), recognise: recogniseHeartRate)
    let rssi = try #require(table[BluetoothAddress(value: 7, kind: .leRandom)]?.rssi)
    #expect(abs(rssi - -68) < 0.001)
  }
}
