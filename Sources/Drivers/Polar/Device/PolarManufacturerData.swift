// Heart rate in the manufacturer data of Polar's advertisements, available without a connection.

public import Bluetooth

extension Polar {
  /// A heart rate in an advertisement.
  ///
  ///     byte  0   bit 0     the battery is low
  ///               bit 1     skin contact
  ///               bits 2-4  frame counter
  ///               bit 5     broadcast
  ///               bit 6     0: this is a heart rate
  ///               bit 7     status flag
  ///     1         coding of the 5 kHz transmission
  ///     2         heart rate, fast average
  ///     3         heart rate, slow average; not in blocks of three bytes
  public struct HeartRateBlock: Sendable, Hashable {
    /// Minimum length in bytes.
    public static let size = 3

    /// True if the battery is low.
    public let isBatteryLow: Bool
    /// True with skin contact.
    public let hasContact: Bool
    /// 0-7. The same counter twice in a row means that the same measurement was received twice.
    public let counter: UInt8
    /// True if the wearable broadcasts.
    public let isBroadcast: Bool
    /// Bit 6: the block does not have a heart rate.
    public let isOtherData: Bool
    /// Status flag; meaning unknown.
    public let statusFlag: Bool
    /// Coding of the 5 kHz transmission.
    public let coding: UInt8
    /// Fast average of the heart rate, 1/min.
    public let fastAverage: UInt8
    /// The heart rate to show: the slow average of a block of four bytes. The format of longer blocks is unknown after
    /// the fast average, so that one is used.
    public let heartRate: UInt8
    /// The block is longer than both known forms.
    public let isUncertain: Bool
    /// The three-byte form. Some of its updates do not change the counter.
    let isShort: Bool

    /// nil for fewer than three bytes.
    public init?(_ bytes: RawBytes) {
      var reader = ByteReader(bytes)
      guard let status = reader.u8(), let coding = reader.u8(), let fast = reader.u8() else { return nil }
      isBatteryLow = status & 0x01 != 0
      hasContact = status & 0x02 != 0
      counter = status >> 2 & 7
      isBroadcast = status & 0x20 != 0
      isOtherData = status & 0x40 != 0
      statusFlag = status & 0x80 != 0
      self.coding = coding
      fastAverage = fast
      isShort = bytes.count == 3
      isUncertain = bytes.count > 4
      heartRate = bytes.count == 4 ? reader.u8() ?? fast : fast
    }
  }

  /// The heart rate block of manufacturer data without its company identifier.
  ///
  ///     bit 6 of a block's first byte is 1   header, length n, n bytes that are not interpreted
  ///     bit 6 is 0                           a heart rate, up to the end
  ///
  /// The search goes on five bytes after a heart rate, as in the SDK for Android; the last heart rate counts.
  static func heartRateBlock(in data: RawBytes) -> HeartRateBlock? {
    var block: HeartRateBlock?
    var offset = 0
    while offset < data.count {
      if data[offset] & 0x40 != 0 {
        guard offset + 1 < data.count else { break }
        offset += 2 + Int(data[offset + 1])
      } else {
        guard let found = HeartRateBlock(RawBytes(rebasing: data[offset...])) else { break }
        block = found
        offset += 5
      }
    }
    return block
  }

  /// Tracks the consecutive advertisements of one wearable.
  public struct HeartRateListener: Sendable {
    /// The newest block; nil if the last manufacturer data had no heart rate.
    public private(set) var latest: HeartRateBlock?
    /// Whether the newest block is a new measurement.
    public private(set) var isUpdated = false

    /// A listener without an earlier advertisement.
    public init() {}

    /// - Parameter data: manufacturer data of company 0x006B without that identifier. Several data of one advertiser
    ///   (advertisement and scan response) are joined, the newer one first.
    /// - Returns: a new measurement; nil without a heart rate, and for a repeated one.
    public mutating func take(_ data: RawBytes) -> HeartRateBlock? {
      guard let block = Polar.heartRateBlock(in: data) else {
        reset()
        return nil
      }
      return take(block)
    }

    mutating func take(_ block: HeartRateBlock) -> HeartRateBlock? {
      isUpdated =
        latest.map { $0.counter != block.counter || (block.isShort && $0.heartRate != block.heartRate) } ?? true
      latest = block
      return isUpdated ? block : nil
    }

    /// Forgets the newest block, after a silence or manufacturer data without a heart rate.
    public mutating func reset() {
      latest = nil
      isUpdated = false
    }
  }
}
