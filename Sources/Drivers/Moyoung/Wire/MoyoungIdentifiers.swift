// Identifiers of this family: service, characteristics, command numbers.

import Bands
public import Bluetooth

/// Bands of Moyoung (Da Fit), "CRP" in TopStep's kit.
public enum Moyoung {
  /// The service of these bands.
  public static let service = Band.moyoungService
  /// Read and notified: today's totals, `DailyTotals`.
  public static let totals: BluetoothUUID = 0xFEE1
  /// Written: commands.
  public static let command: BluetoothUUID = 0xFEE2
  /// Notified: answers and unsolicited frames.
  public static let answer: BluetoothUUID = 0xFEE3

  /// Manufacturer Name String (2A29) of each framing.
  static let fixedName = "MOYOUNG"
  static let wideName = "MOYOUNG-V2"

  /// Commands that this driver sends or receives.
  enum Command {
    /// Height, weight, age, sex.
    static let userInfo: UInt8 = 18
    /// Interval of automatic heart rates.
    static let setInterval: UInt8 = 31
    /// Sent only to get any answer.
    static let version: UInt8 = 46
    static let queryInterval: UInt8 = 47
    static let setTime: UInt8 = 49
    static let sleepToday: UInt8 = 50
    /// Steps or sleep of past days, by argument.
    static let pastDays: UInt8 = 51
    /// Sent by the band after a training: rates minute by minute.
    static let trainingRates: UInt8 = 52
    /// Rates every five minutes, a quarter of a day per answer.
    static let rates: UInt8 = 53
    /// Rates every minute of today, 72 per answer.
    static let minutes: UInt8 = 54
    static let trainings: UInt8 = 55
    static let measureOxygen: UInt8 = 107
    static let measureRate: UInt8 = 109
  }
}
