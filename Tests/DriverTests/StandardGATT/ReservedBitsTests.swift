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
    .battery, .deviceInformation, .genericHealthSensor,
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
    Row(characteristic: 0x2A49, hex: "0002", samples: 0, odd: "blood pressure: features that are reserved"),
    Row(characteristic: 0x2A54, hex: "2000", samples: 0, odd: "running: features that are reserved"),
    Row(characteristic: 0x2A5C, hex: "0900", samples: 0, odd: "cycling: features that are reserved"),
    Row(characteristic: 0x2A9E, hex: "0004 0000", samples: 0, odd: "scale: features that are reserved"),
    Row(characteristic: 0x2A9B, hex: "0000 0400", samples: 0, odd: "scale: features that are reserved"),
    Row(characteristic: 0x2A60, hex: "0001", samples: 0, odd: "pulse oximeter: features that are reserved"),
    Row(characteristic: 0x2A60, hex: "0100 0100", samples: 0, odd: "pulse oximeter: features that are reserved"),
    Row(characteristic: 0x2A60, hex: "0200 000001", samples: 0, odd: "pulse oximeter: features that are reserved"),
    Row(
      characteristic: 0x2BF3, hex: "02 01 B84B0200", samples: 0,
      odd: "health sensor: flags of the features that are reserved"),
    Row(
      characteristic: 0x2A50, hex: "03 5900 3412 0001", samples: 0,
      odd: "device information: a source of vendors that is reserved"),
  ]

  @Test("are counted with a reason, and the value is used", arguments: rows)
  func counted(_ row: Row) throws {
    let (decoder, sink) = (Self.driver.makeDecoder(), RecordingSink())
    try decoder.tell(Self.driver, row.characteristic, row.hex, into: sink)
    #expect(sink.anomalies == [row.odd] && sink.samples.count == row.samples)
  }

  static let longer: [(BluetoothUUID, String, String)] = [
    (0x2A49, "1F00", "blood pressure: bytes after the features"), (0x2A54, "0300", "running: bytes after the features"),
    (0x2A5C, "0300", "cycling: bytes after the features"), (0x2A9E, "07000000", "scale: bytes after the features"),
    (0x2A9B, "FF030000", "scale: bytes after the features"), (0x2A1D, "02", "thermometer: bytes after the type"),
    (0x2A21, "3C00", "thermometer: bytes after the interval"), (0x2A5D, "01", "sensor location: bytes after the code"),
    (0x2A38, "01", "body sensor location: bytes after the code"),
    (0x2BF3, "0001B84B0200", "health sensor: bytes after the features"),
    (0x2A23, "0102030405060708", "device information: bytes after the system ID"),
    (0x2A50, "01590034120001", "device information: bytes after the PnP ID"),
  ]

  @Test("and so are bytes behind what describes a wearable; one that is cut is no description", arguments: longer)
  func lengths(_ row: (characteristic: BluetoothUUID, hex: String, odd: String)) throws {
    for tail in ["00", String(repeating: "A5", count: 40)] {
      let (decoder, sink) = (Self.driver.makeDecoder(), RecordingSink())
      try decoder.tell(Self.driver, row.characteristic, row.hex + tail, into: sink)
      #expect(sink.anomalies == [row.odd] && sink.samples.isEmpty)
    }
    for length in 0..<row.hex.utf8.count / 2 {
      let (decoder, sink) = (Self.driver.makeDecoder(), RecordingSink())
      #expect(throws: length == 0 ? DecodeError.empty : .truncated) {
        try decoder.tell(Self.driver, row.characteristic, String(row.hex.prefix(2 * length)), into: sink)
      }
      #expect(sink.samples.isEmpty && sink.facts.isEmpty)
    }
  }
}
