// Stored form of a wearable's schedule.

public import StateCodec

extension MeasurementSchedule: RememberedState {
  /// Name in the store.
  public static let name = "measure-schedule"

  /// Encodes the schedule.
  public func write(to fields: inout FieldWriter) {
    fields.put(1, UInt32(every))
    fields.put(2, UInt16(seconds))
    fields.put(3, UInt16(begin))
    fields.put(4, UInt16(end))
  }

  /// Decodes a schedule; nil: invalid.
  public init?(_ fields: inout FieldReader, version: UInt16) {
    var every: UInt32?
    var (seconds, begin, end): (UInt16?, UInt16?, UInt16?)
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&every)
      case 2: fields.read(&seconds)
      case 3: fields.read(&begin)
      case 4: fields.read(&end)
      default: break
      }
    }
    guard let every, let seconds, let begin, let end else { return nil }
    self.init(every: Int(every), seconds: Int(seconds), begin: Int(begin), end: Int(end))
  }
}
