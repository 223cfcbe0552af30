import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Bits and codes that a service reserves")
struct ReservedBitsTests {
  private static let driver = StandardDriver([
    .heartRate, .pulseOximeter, .bloodPressure, .thermometer, .weightScale, .bodyComposition, .running, .cycling,
    .battery,
  ])

  struct Row: Sendable {
    let characteristic: BluetoothUUID
    let hex: String
    /// Samples that come all the same.
    let samples: Int
    let odd: String
  }

  static let rows = [
    Row(characteristic: 0x2A37, hex: "20 48", samples: 1, odd: "heart rate: flags that are reserved"),
    Row(
      characteristic: 0x2A5F, hex: "20 6000 4000", samples: 2,
      odd: "pulse oximeter: flags or states that are reserved"),
    Row(
      characteristic: 0x2A5E, hex: "80 6000 4000", samples: 2,
      odd: "pulse oximeter: flags or states that are reserved"),
    Row(
      characteristic: 0x2A35, hex: "80 7800 5000 5D00", samples: 3,
      odd: "blood pressure: flags or a status that are reserved"),
    Row(characteristic: 0x2A1C, hex: "08 6E0100FF", samples: 1, odd: "thermometer: flags that are reserved"),
    Row(characteristic: 0x2A1C, hex: "04 6E0100FF 0A", samples: 1, odd: "thermometer: a type that is reserved"),
    Row(characteristic: 0x2A1D, hex: "00", samples: 0, odd: "thermometer: a type that is reserved"),
    Row(characteristic: 0x2A9D, hex: "40 B036", samples: 1, odd: "scale: flags that are reserved"),
    Row(characteristic: 0x2A9C, hex: "0020 E700", samples: 1, odd: "scale: flags that are reserved"),
    Row(characteristic: 0x2A53, hex: "08 8704 4E", samples: 2, odd: "running: flags that are reserved"),
    Row(characteristic: 0x2A5B, hex: "04", samples: 0, odd: "cycling: flags that are reserved"),
    Row(characteristic: 0x2A5D, hex: "11", samples: 0, odd: "sensor location: a code that is reserved"),
    Row(characteristic: 0x2A38, hex: "07", samples: 0, odd: "body sensor location: a code that is reserved"),
    Row(characteristic: 0x2BED, hex: "08 0000", samples: 0, odd: "battery: bits of the status that are reserved"),
    Row(characteristic: 0x2BED, hex: "00 0080", samples: 0, odd: "battery: bits of the status that are reserved"),
  ]

  @Test("are counted with a reason, and the value is used", arguments: rows)
  func counted(_ row: Row) throws {
    let (decoder, sink) = (Self.driver.makeDecoder(), RecordingSink())
    try decoder.tell(Self.driver, row.characteristic, row.hex, into: sink)
    #expect(sink.anomalies == [row.odd] && sink.samples.count == row.samples)
  }
}
