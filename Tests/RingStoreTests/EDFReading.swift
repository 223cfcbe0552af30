// A plain reader of EDF+ and BDF+ for tests: the header's fields, the digital values, and the annotations.

struct EDFReading {
  struct Signal {
    var label = ""
    var transducer = ""
    var unit = ""
    var physical: (Double, Double) = (0, 0)
    var digital: (Int, Int) = (0, 0)
    var samples = 0
    var values: [Int] = []

    /// As readers compute it; nil for the digital minimum, which stands for "no value".
    func physical(_ value: Int) -> Double? {
      if value == digital.0 { return nil }
      let step = (physical.1 - physical.0) / Double(digital.1 - digital.0)
      return Double(value - digital.0) * step + physical.0
    }
    var numbers: [Double?] { values.map(physical) }
    var known: [Double] { numbers.compactMap { $0 } }
  }
  struct Annotation: Equatable {
    var onset: Double
    var duration: Double?
    var text: String
  }

  var version = ""
  var patient = ""
  var recording = ""
  var date = ""
  var time = ""
  var reserved = ""
  var records = 0
  var recordLength = 0
  var signals: [Signal] = []
  /// Of each record.
  var onsets: [Double] = []
  var annotations: [Annotation] = []

  private var bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    version = field(8)
    (patient, recording, date, time) = (field(80), field(80), field(8), field(8))
    let headerLength = Int(field(8)) ?? 0
    reserved = field(44)
    (records, recordLength) = (Int(field(8)) ?? 0, Int(field(8)) ?? 0)
    signals = Array(repeating: Signal(), count: Int(field(4)) ?? 0)
    for place in signals.indices { signals[place].label = field(16) }
    for place in signals.indices { signals[place].transducer = field(80) }
    for place in signals.indices { signals[place].unit = field(8) }
    for place in signals.indices { signals[place].physical.0 = Double(field(8)) ?? .nan }
    for place in signals.indices { signals[place].physical.1 = Double(field(8)) ?? .nan }
    for place in signals.indices { signals[place].digital.0 = Int(field(8)) ?? 0 }
    for place in signals.indices { signals[place].digital.1 = Int(field(8)) ?? 0 }
    for _ in signals.indices { _ = field(80) }
    for place in signals.indices { signals[place].samples = Int(field(8)) ?? 0 }
    for _ in signals.indices { _ = field(32) }
    if offset != headerLength { reserved = "the header ends at \(offset), not at \(headerLength)" }
    let width = reserved.hasPrefix("BDF") ? 3 : 2
    for _ in 0..<records {
      for place in signals.indices {
        let count = signals[place].samples
        let body = Array(bytes[offset..<(offset + count * width)])
        offset += body.count
        if signals[place].label.hasSuffix("Annotations") {
          readLists(body)
        } else {
          signals[place].values += (0..<count).map { Self.number(body, $0 * width, width) }
        }
      }
    }
    if offset != bytes.count { reserved = "bytes behind the last record" }
    signals.removeAll { $0.label.hasSuffix("Annotations") }
  }

  private mutating func field(_ width: Int) -> String {
    defer { offset += width }
    var text = String(decoding: bytes[offset..<(offset + width)], as: UTF8.self)
    while text.last == " " { text.removeLast() }
    return text
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
    var value: UInt32 = 0
    for place in 0..<width { value |= UInt32(bytes[at + place]) << UInt32(8 * place) }
    let shift = Int32(32 - 8 * width)
    return Int(Int32(bitPattern: value << UInt32(shift)) >> shift)
  }

  private mutating func readLists(_ body: [UInt8]) {
    for (index, list) in body.split(separator: 0).enumerated() {
      let parts = list.split(separator: 20, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      let times = parts[0].split(separator: "\u{15}").map(String.init)
      let onset = Double(times[0]) ?? .nan
      if index == 0 { onsets.append(onset) }
      for text in parts.dropFirst() where !text.isEmpty {
        annotations.append(
          Annotation(onset: onset, duration: times.count > 1 ? Double(times[1]) : nil, text: text))
      }
    }
  }
}
