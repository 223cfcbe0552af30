// Annotations of a file: their text, and the list with a time (TAL) that carries each.
//
// EDF+ specification (Kemp and Olivan, 2003), section 2.2.2. Onsets are in seconds after the start of the file; one
// before it has a minus sign.

internal import CivilTime
internal import Health

struct EDFAnnotation: Sendable, Hashable {
  /// Onset, microseconds since 1970.
  var time: Int64
  /// Microseconds; 0: of one moment.
  var duration: Int64 = 0
  var text: String

  /// The longest text, in bytes: more would widen the annotations of all data records.
  static let textLimit = 200

  /// - Parameter start: of the file, seconds since 1970.
  func list(start: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    let onset = time &- start &* 1_000_000
    bytes.append(UInt8(ascii: onset < 0 ? "-" : "+"))
    bytes.append(seconds: onset.magnitude)
    if duration > 0 {
      bytes.append(21)
      bytes.append(seconds: duration.magnitude)
    }
    bytes.append(20)
    // Control characters end texts; a cut never halves a character.
    for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
      if bytes.count + 4 > Self.textLimit { break }
      bytes += Array(String(scalar).utf8)
    }
    return bytes + [20, 0]
  }

  /// The first list of each data record: when it starts.
  ///
  /// - Parameter onset: seconds.
  static func timekeeping(_ onset: Int64) -> [UInt8] { Array("+\(onset)".utf8) + [20, 20, 0] }
}

extension Array where Element == UInt8 {
  /// Microseconds as seconds, with the digits that they have.
  fileprivate mutating func append(seconds microseconds: UInt64) {
    append(digits: microseconds / 1_000_000, width: 1)
    var (rest, unit) = (microseconds % 1_000_000, UInt64(100_000))
    if rest != 0 { append(0x2E) }
    while rest != 0 {
      append(UInt8(truncatingIfNeeded: 0x30 + rest / unit))
      (rest, unit) = (rest % unit, unit / 10)
    }
  }
}

extension EDFRow {
  /// Annotation for the row. Stages of sleep have their standard text.
  ///
  /// - Parameter device: its name, if the file has rows of several wearables.
  func annotation(device: String?) -> EDFAnnotation {
    var words = [series.name]
    var duration: Int64 = 0
    switch content {
    case .values(let values):
      let names = series.layout.components
      if names.count > 1, names.count == values.count {
        words += zip(names, values).map { "\($0)=\(series.text($1))" }
      } else {
        words += values.map { series.text($0) }
        if !series.unit.isEmpty { words.append(series.unit) }
      }
    case .span(let length, let value):
      duration = max(0, length)
      if series == .sleepStage, let stage = Self.sleepStage(value) {
        words = [stage]
      } else {
        words.append(series.text(value))
        if !series.unit.isEmpty { words.append(series.unit) }
      }
    case .block, .opaque: words.append("not in this file")
    }
    if kind != .normal { words.append(kind.name) }
    if origin != .live { words.append(origin.name) }
    if marks != [] { words.append("(\(marks.words))") }
    if let device { words.append("[\(device)]") }
    return EDFAnnotation(time: time, duration: duration, text: words.joined(separator: " "))
  }

  /// EDF+ standard texts, section 3.2. Wearables do not distinguish N1 from N2.
  private static func sleepStage(_ value: Int64) -> String? {
    switch value {
    case 0: "Sleep stage ?"
    case 1: "Sleep stage W"
    case 2: "Sleep stage R"
    case 3: "Sleep stage N"
    case 4: "Sleep stage N3"
    default: nil
    }
  }
}
