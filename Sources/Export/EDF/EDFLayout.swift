// Which signals a file has, and the position of each in a data record.

internal import Health

/// The position of each signal in a data record.
struct EDFLayout {
  struct Signals {
    var isWide = false
    var signals: [EDFSignal] = []
    /// The signals of each lane of each track: the first one's index, and their number.
    var lanes: [[(first: Int, components: Int)]] = []
  }

  let isWide: Bool
  let lanes: [[(first: Int, components: Int)]]
  /// Bytes from the start of a record to each signal.
  let offsets: [Int]
  let scales: [EDFScale]
  let samples: [Int]
  let annotationOffset: Int
  let room: EDFRoom

  var width: Int { isWide ? 3 : 2 }
  var recordSize: Int { annotationOffset + room.bytes }

  init(_ signals: Signals, room: EDFRoom) {
    isWide = signals.isWide
    lanes = signals.lanes
    scales = signals.signals.map(\.scale)
    samples = signals.signals.map(\.samples)
    self.room = room
    let width = signals.isWide ? 3 : 2
    var (offsets, offset) = ([Int](), 0)
    for count in samples {
      offsets.append(offset)
      offset += count * width
    }
    (self.offsets, annotationOffset) = (offsets, offset)
  }

  /// 16 bits for all signals if they are enough for all.
  static func signals(_ tracks: EDFTracks, _ placement: EDFPlacement, _ devices: [String]) throws(EDFFile.Problem)
    -> Signals
  {
    do throws(EDFFile.Problem) { return try signals(tracks, placement, devices, bits: 16) } catch {
      guard case .tooWide = error else { throw error }
      return try signals(tracks, placement, devices, bits: 24)
    }
  }

  private static func signals(_ tracks: EDFTracks, _ placement: EDFPlacement, _ devices: [String], bits: Int)
    throws(EDFFile.Problem) -> Signals
  {
    var found = Signals(isWide: bits == 24)
    var used: Set<String> = []
    for (place, track) in tracks.all.enumerated() {
      var lanes: [(first: Int, components: Int)] = []
      for (lane, rate) in placement.lanes(place).enumerated() {
        lanes.append((found.signals.count, track.lowest.count))
        for component in track.lowest.indices {
          let form = track.key.series.edfForm(component)
          let origin = transducer(track.key, component, lane, devices)
          guard
            let scale = EDFScale(
              lowest: track.lowest[component], highest: track.highest[component], factor: form.factor, bits: bits)
          else { throw .tooWide(signal: origin) }
          found.signals.append(
            EDFSignal(
              label: unused(form.label, &used), transducer: origin, unit: form.unit, scale: scale,
              samples: Int(rate.samples(in: tracks.recordLength))))
        }
      }
      found.lanes.append(lanes)
    }
    if found.signals.count > EDFFile.signalLimit { throw .tooManySignals(found.signals.count) }
    return found
  }

  /// `acc.x live strap-01`: series and component, origin, kind, lane, wearable.
  private static func transducer(_ key: EDFTrackKey, _ component: Int, _ lane: Int, _ devices: [String]) -> String {
    let names = key.series.layout.components
    var words = [names.count > 1 ? "\(key.series.name).\(names[component])" : key.series.name, key.origin.name]
    if key.kind != .normal { words.append(key.kind.name) }
    if lane > 0 { words.append("overlapping-\(lane + 1)") }
    if devices.indices.contains(key.device) { words.append(devices[key.device]) }
    return words.joined(separator: " ")
  }

  /// The label, with a number if another signal has it.
  private static func unused(_ label: String, _ used: inout Set<String>) -> String {
    var (candidate, number) = (label, 1)
    while !used.insert(candidate).inserted {
      number += 1
      candidate = "\(label.prefix(15 - "\(number)".count)) \(number)"
    }
    return candidate
  }
}
