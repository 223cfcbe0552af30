// Stored observations of a generic health sensor: records with ascending numbers, which are requested from a number on.

import Bluetooth
import Health
import Wearable

extension RecordFormat {
  /// Generic Health Sensor Service 1.0, stored observations: a number of four bytes, then the observation.
  static let observations = RecordFormat(
    id: "observations", series: ObservationSeries.series, isNumbered: true, place: { ObservationRecord.place($0) },
    makeAssembly: { ObservationAssembly() }, identity: { ObservationRecord.identity($0) },
    decode: { bytes, sink throws(ItemDefect) in try ObservationRecord.decode(bytes, sink) })
}

enum ObservationRecord {
  /// Record numbers of one item: half of the capacity of its digests, because sure and unsure times have separate
  /// items.
  private static let block: UInt32 = 256
  /// Bytes of a record's number.
  private static let numberSize = 4

  private static func read(_ bytes: RawBytes) throws(DecodeError) -> (UInt32, [HealthObservation], Int) {
    var reader = ByteReader(bytes)
    guard let number = reader.u32() else { throw .truncated }
    let (observations, trailing) = try HealthObservation.read(reader.rest())
    return (number, observations, trailing)
  }

  static func place(_ bytes: RawBytes) -> RecordPlace {
    guard let (number, observations, _) = try? read(bytes) else { return .odd }
    let digits = "\(number / block * block)"
    let slot = String(repeating: "0", count: max(0, 10 - digits.utf8.count)) + digits
    let times = observations.map(\.time)
    // A time stamp from before the clock was last set, or without a timeline, cannot be dated.
    let isSure = times.allSatisfy { $0?.flags.contains(.currentTimeline) ?? false }
    var place = RecordPlace(
      slot: isSure ? slot : slot + "-unsure", begins: times.compactMap { $0?.timeline }.min(), isTimeUnsure: !isSure,
      number: number)
    place.formerSlot = isSure ? slot + "-unsure" : slot
    return place
  }

  /// The record without two parts of its time stamp that may change between transmissions. These are whether the clock
  /// was set since, and on some sensors the source that set it last. The identity includes the record's number.
  static func identity(_ bytes: [UInt8]) -> RecordIdentity {
    let stamps = bytes.withUnsafeBytes { HealthObservation.stamps(in: RawBytes(rebasing: $0.dropFirst(numberSize))) }
    var identity = bytes
    for stamp in stamps {
      identity[numberSize + stamp] |= ElapsedTime.Flags.currentTimeline.rawValue
      identity[numberSize + stamp + ElapsedTime.sourcePlace] = 0
    }
    return RecordIdentity(bytes: identity, isUnique: bytes.count > numberSize)
  }

  static func decode(_ bytes: RawBytes, _ sink: any ItemSink) throws(ItemDefect) {
    let found: (UInt32, [HealthObservation], Int)
    do throws(DecodeError) { found = try read(bytes) } catch {
      throw .malformed("an observation that is \(error.rawValue)")
    }
    if found.2 != 0 { sink.noteAnomaly("health sensor: bytes after a stored observation") }
    for observation in found.1 {
      let time = observation.time?.timeline ?? RecordFormat.noTime
      for meaning in observation.meanings {
        switch meaning {
        case .value(let series, let value): sink.append(series, value, at: time)
        case .nothing: break
        case .reserved: sink.noteAnomaly("health sensor: a number that is reserved, left out")
        case .outOfRange: sink.noteAnomaly("health sensor: a value out of range")
        case .unknown: sink.noteAnomaly("health sensor: an observation of no series")
        }
      }
    }
  }
}

/// Records come in segments, as live observations do.
private final class ObservationAssembly: RecordAssembly {
  private var segments = ObservationSegments()

  func take(_ value: [UInt8]) throws(DecodeError) -> [UInt8]? { try segments.take(value) }
}
