// The names of this family: its service, what it writes and notifies there, and its commands by their numbers.

import Bands
public import Bluetooth

/// Bands of Moyoung (Da Fit), "CRP" in TopStep's kit.
public enum Moyoung {
  public static let service = Band.moyoungService
  /// Read and notified: today's totals, `DailyTotals`.
  public static let totals: BluetoothUUID = 0xFEE1
  /// Written: commands.
  public static let command: BluetoothUUID = 0xFEE2
  /// Notified: answers, and what a band says by itself.
  public static let answer: BluetoothUUID = 0xFEE3

  /// Manufacturer Name String (2A29) of bands with either framing.
  static let fixedName = "MOYOUNG"
  static let wideName = "MOYOUNG-V2"

  /// Commands that this driver sends or hears.
  enum Command {
    /// Height, weight, age, sex.
    static let userInfo: UInt8 = 18
    /// How often it measures the heart rate by itself.
    static let setInterval: UInt8 = 31
    /// Asked for its answer alone.
    static let version: UInt8 = 46
    static let queryInterval: UInt8 = 47
    static let setTime: UInt8 = 49
    static let sleepToday: UInt8 = 50
    /// Steps or sleep of days before, by argument.
    static let pastDays: UInt8 = 51
    /// Begun by the band after a training: rates minute by minute.
    static let trainingRates: UInt8 = 52
    /// Rates every five minutes, a quarter of a day in one answer.
    static let rates: UInt8 = 53
    /// Rates every minute, today's alone, 72 in one answer.
    static let minutes: UInt8 = 54
    static let trainings: UInt8 = 55
    static let measureOxygen: UInt8 = 107
    static let measureRate: UInt8 = 109
  }
}
