// Heart rate without a connection: what Polar's wearables say in their manufacturer data.

public import Bluetooth

extension Polar {
  /// A heart rate as advertised.
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
    public static let size = 3

    public let isBatteryLow: Bool
    public let hasContact: Bool
    /// 0-7. The same twice in a row is the same measurement heard twice.
    public let counter: UInt8
    public let isBroadcast: Bool
    /// Bit 6: set in what is no heart rate block.
    public let isOtherData: Bool
    public let statusFlag: Bool
    public let coding: UInt8
    public let fastAverage: UInt8
    /// What people see: the slow average where the block has four bytes. A longer block does not say what follows the
    /// fast average, so that one is given.
    public let heartRate: UInt8
    /// The block is longer than the two forms that are known.
    public let isUncertain: Bool
    /// The block's three-byte form, in which the counter alone does not tell all updates.
    let isShort: Bool

    /// nil below three bytes.
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

  /// The blocks of one manufacturer data, after the company identifier.
  ///
  ///     bit 6 of a block's first byte is 1   header, length n, n bytes that are not interpreted
  ///     bit 6 is 0                           a heart rate, up to the end
  ///
  /// A heart rate is looked for again five bytes after the last one, as the SDK for Android does; the last one counts.
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

  /// Listens to the advertisements of one wearable, one after the other.
  public struct HeartRateListener: Sendable {
    /// The newest block; nil if the last manufacturer data had none.
    public private(set) var latest: HeartRateBlock?
    /// The newest block is another measurement than the one before it.
    public private(set) var isUpdated = false

    public init() {}

    /// - Parameter data: manufacturer data of company 0x006B without that identifier. Several of one advertiser
    ///   (advertisement and scan response) are joined, the newer one first.
    /// - Returns: a heart rate that was not there before; nil for none, and for one heard again.
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

    /// It was not heard for a while, or no longer says a heart rate.
    public mutating func reset() {
      latest = nil
      isUpdated = false
    }
  }
}
