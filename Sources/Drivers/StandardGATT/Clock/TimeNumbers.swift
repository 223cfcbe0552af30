// The SIG's assigned numbers for time.

import Bluetooth

enum TimeServices {
  static let currentTimeService: BluetoothUUID = 0x1805
  static let currentTime: BluetoothUUID = 0x2A2B
  static let localTimeInformation: BluetoothUUID = 0x2A0F
  static let referenceTimeInformation: BluetoothUUID = 0x2A14

  /// Date Time, beside the measurements of a sensor.
  static let dateTime: BluetoothUUID = 0x2A08
  /// Services in which sensors have it: cuffs, thermometers, scales.
  static let dateTimeServices = [
    BloodPressure.service, Thermometer.service, Scale.weightService, Scale.compositionService,
  ]

  static let deviceTimeService: BluetoothUUID = 0x183F
  static let deviceTime: BluetoothUUID = 0x2BF2
}

/// Source of a time: the same codes in Reference Time Information and in time stamps.
enum TimeSource: UInt8, Sendable, Hashable {
  case unknown = 0
  case networkTime = 1
  case gps = 2
  case radio = 3
  case manual = 4
  case atomicClock = 5
  case cellular = 6
  case notSynchronized = 7
}
