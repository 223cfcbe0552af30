import Bands
import Bluetooth
import CivilTime
import EventLoop
import Health
import StateCodec
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("The vectors of FitCloud's bands")
struct FitCloudVectorTests {
  @Test("are there, each with its own id, and all can be read")
  func vectorsAreThere() throws {
    let own = try FitCloudVectors.load(in: FitCloudVectors.ownFolder)
    #expect(own.entries == 40 && own.vectors.count == own.entries)
    let read = try FitCloudVectors.load(in: FitCloudVectors.folder)
    #expect(!read.vectors.isEmpty && Set(read.vectors.map(\.id)).count == read.vectors.count)
    print("vectors of FitCloud from \(FitCloudVectors.folder.path): \(read.vectors.count) of \(read.entries)")
  }

  @Test("are what the driver makes of them", arguments: FitCloudVectors.all)
  func vector(_ vector: FitCloudVector) throws {
    switch vector.kind {
    case "crc":
      let bytes = try #require(vector.bytes)
      #expect(try #require(vector.fields["crc16"]).integer() == CRC16ARC.of(bytes))
    case "incomplete":
      var receiver = FitCloudReceiver()
      let events = try #require(vector.pieces).flatMap { receiver.take($0) }
      #expect(events.isEmpty && receiver.isWithinFrame)
    case "reject": try reject(vector)
    case "both", "valid", "salvage":
      if let found = try frames(vector) {
        #expect(found)
      } else {
        let bytes = try #require(vector.bytes)
        guard let value = try FitCloudVectorValue.read(vector, bytes) else { return }
        let stated = vector.fields.filter { value.fields[$0.key] != nil }
        #expect(stated.isEmpty || FitCloudVectorValue.covers(value.fields, .object(stated)), "\(value.fields)")
        if vector.kind == "both", let encoded = value.encoded { #expect(encoded == bytes) }
      }
    // Named by `parts()`.
    default: break
    }
  }

  @Test("fields and encodings without an independent comparison are named")
  func parts() {
    var coverage = Coverage()
    for vector in FitCloudVectors.all { for part in uncovered(vector) { coverage.miss("fitcloud", part) } }
    coverage.tell(isOwn: FitCloudVectors.folder == FitCloudVectors.ownFolder, known: [])
  }

  /// What of a vector `vector(_:)` passes over.
  private func uncovered(_ vector: FitCloudVector) -> [String] {
    switch vector.kind {
    case "crc", "incomplete": return []
    case "reject":
      let isKnown = Self.words.values.contains { $0.contains(vector.error ?? "") }
      let isFrame = vector.pieces?.first?.first == FitCloudFrame.marker
      return isKnown || !isFrame ? [] : ["error \(vector.error ?? "")"]
    case "both", "valid", "salvage": break
    default: return ["kind \(vector.kind)"]
    }
    switch vector.expect {
    case .array: return []
    case .object(let fields)? where fields["cmd"] != nil || fields["ack"] != nil: return []
    default: break
    }
    let replies = vector.replies == nil ? [] : ["replies"]
    guard let bytes = vector.bytes, let value = try? FitCloudVectorValue.read(vector, bytes) else {
      return replies + ["value \(vector.fields.keys.sorted().joined(separator: " "))"]
    }
    let unread = vector.fields.keys.filter { value.fields[$0] == nil }.map { "field \($0)" }
    return replies + unread + (vector.kind == "both" && value.encoded == nil ? ["encoding"] : [])
  }

  // MARK: Frames

  /// - Returns: nil if it is about a single value.
  private func frames(_ vector: FitCloudVector) throws -> Bool? {
    let stated: [JSON]
    switch vector.expect {
    case .array(let list)?: stated = list
    case .object(let fields)? where fields["cmd"] != nil || fields["ack"] != nil: stated = [.object(fields)]
    default: return nil
    }
    let pieces = try #require(vector.pieces)
    var assembly = FitCloudAssembly()
    var receiver = FitCloudReceiver()
    var all: [FitCloudFrame] = []
    for case .frame(let frame) in pieces.flatMap({ assembly.take($0) }) { all.append(frame) }
    // What is said twice is taken once.
    let once = all.indices.filter { $0 == 0 || all[$0] != all[$0 - 1] }.map { all[$0] }
    let parts = once.count == stated.count ? once : all
    let events = pieces.flatMap { receiver.take($0) }
    #expect(assembly.isEmpty && parts.count == stated.count)
    var encoded: [UInt8] = []
    for (frame, stated) in zip(parts, stated) {
      encoded += frame.bytes
      let fields = try Self.fields(frame)
      #expect(FitCloudVectorValue.covers(fields, stated), "\(fields)")
    }
    if vector.kind == "both" { #expect(encoded == vector.bytes) }
    if let replies = vector.replies {
      let written = events.compactMap { event -> String? in
        if case .answer(let bytes) = event { hexadecimal(bytes) } else { nil }
      }
      #expect(written == replies.map { $0.uppercased() })
    }
    return true
  }

  private static func fields(_ frame: FitCloudFrame) throws -> [String: JSON] {
    switch frame.content {
    case .acknowledgement(let isError):
      return ["ack": .bool(true), "error": .bool(isError), "seq": .integer(frame.sequence)]
    case .data(let payload):
      let message = try FitCloudMessage(payload)
      let again = try #require(FitCloudMessage(message.command, version: message.version, message.items))
      #expect(again.payload == payload)
      let items = message.items.map { item in
        JSON.object(["key": .integer(item.key), "value": .string(hexadecimal(item.value))])
      }
      return [
        "ack": .bool(false), "cmd": .integer(message.command), "version": .integer(message.version),
        "seq": .integer(frame.sequence), "items": .array(items),
      ]
    }
  }

  // MARK: What must be refused

  /// Words for one and the same defect.
  private static let words: [FitCloudDefect: Set<String>] = [
    .checksum: ["crc", "crc16", "checksum", "bad_crc", "crc_mismatch"],
    .itemLength: ["item_length", "item_truncated", "truncated_item"],
    .header: ["header", "version", "length", "payload_length", "too_long", "ack_length", "marker", "magic"],
    .tooShort: ["too_short", "short", "payload_short", "payload_too_short", "truncated"],
  ]

  private func reject(_ vector: FitCloudVector) throws {
    let pieces = try #require(vector.pieces)
    if pieces.first?.first == FitCloudFrame.marker {
      var receiver = FitCloudReceiver()
      var defects: Set<FitCloudDefect> = []
      for event in pieces.flatMap({ receiver.take($0) }) {
        if case .odd(let defect) = event { defects.insert(defect) }
        if case .message(let message) = event { Issue.record("it is taken for \(message)") }
      }
      if defects.isEmpty, receiver.skipped > 0 { defects.insert(.header) }
      let names = defects.reduce(Set<String>()) { $0.union(Self.words[$1] ?? []) }
      let word = try #require(vector.error)
      if Self.words.values.contains(where: { $0.contains(word) }) {
        #expect(names.contains(word), "\(defects)")
      } else {
        // Named by `parts()`.
        #expect(!defects.isEmpty)
      }
      return
    }
    let bytes = try #require(vector.bytes)
    #expect(vector.error != nil)
    let isRefused: Bool
    do { isRefused = try FitCloudVectorValue.read(vector, bytes) == nil } catch { isRefused = true }
    #expect(isRefused, "it is taken for a value")
  }
}

/// A value that is no frame: the decoder's result, and the bytes that it makes again.
struct FitCloudVectorValue {
  let fields: [String: JSON]
  let encoded: [UInt8]?

  /// Everything that is stated is so, and is known here.
  static func covers(_ fields: [String: JSON], _ stated: JSON) -> Bool {
    guard let stated = stated.object, !stated.isEmpty else { return false }
    return stated.allSatisfy { name, value in
      guard let own = fields[name] else { return false }
      if case (.array(let own), .array(let value)) = (own, value) {
        return own.count == value.count
          && zip(own, value).allSatisfy { own, value in
            if let fields = own.object { return covers(fields, value) }
            return own.matches(value)
          }
      }
      return own.matches(value)
    }
  }

  /// nil for bytes without a decoder, or without a known meaning.
  static func read(_ vector: FitCloudVector, _ bytes: [UInt8]) throws -> FitCloudVectorValue? {
    let stated = Set(vector.fields.keys)
    if stated.contains("samples") || stated.contains("type") { return try history(vector, bytes) }
    if vector.fields.isEmpty {
      // Of what must be refused the id alone says what it is.
      if vector.id.hasPrefix("fc-hist") { return try history(vector, bytes) }
      if vector.id.hasPrefix("fc-time") { return time(bytes) }
      if vector.id.hasPrefix("fc-today") { return totals(bytes) }
      if vector.id.hasPrefix("fc-live") { return live(bytes) }
      if vector.id.hasPrefix("fc-user") { return profile(bytes) }
      if vector.id.hasPrefix("fc-mon") { return monitor(bytes) }
      Issue.record("nobody knows what this is")
    }
    if stated.contains("steps") { return totals(bytes) }
    if stated.contains("interval_s") { return live(bytes) }
    if stated.contains("sex_bit") { return profile(bytes) }
    if stated.contains("enabled") { return monitor(bytes) }
    if stated.contains("percent") { return battery(bytes) }
    if stated == ["local"] { return time(bytes) }
    return nil
  }

  private static func text(_ local: Int64) -> JSON {
    let second = local / 1_000_000
    let date = LocalDate(dayNumber: second / 86_400)
    func two(_ number: some BinaryInteger) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let inDay = second % 86_400
    return .string(
      "\(date.year)-\(two(date.month))-\(two(date.day))T\(two(inDay / 3600)):\(two(inDay / 60 % 60)):\(two(inDay % 60))"
    )
  }

  private static func time(_ bytes: [UInt8]) -> FitCloudVectorValue? {
    guard bytes.count == 4, let local = FitCloudTime.microseconds(bytes.reduce(0) { $0 << 8 | UInt32($1) }) else {
      return nil
    }
    return FitCloudVectorValue(fields: ["local": text(local)], encoded: FitCloudTime.bytes(local))
  }

  private static func totals(_ bytes: [UInt8]) -> FitCloudVectorValue? {
    guard let totals = FitCloudTotals(bytes) else { return nil }
    let fields: [String: JSON] = [
      "steps": .integer(totals.steps), "distance_m": .integer(totals.distance),
      "calories_cal": .integer(totals.calories), "deep_sleep_min": .integer(totals.deepSleep),
      "light_sleep_min": .integer(totals.lightSleep), "avg_hr_bpm": .integer(totals.meanHeartRate),
    ]
    return FitCloudVectorValue(fields: fields, encoded: nil)
  }

  private static let liveNames: [FitCloudLiveOrder.Item: String] = [
    .heartRate: "heart_rate", .spo2: "spo2", .pressure: "blood_pressure", .respiration: "respiration", .ecg: "ecg",
    .temperature: "temperature", .stress: "stress",
  ]

  private static func live(_ bytes: [UInt8]) -> FitCloudVectorValue? {
    guard let order = FitCloudLiveOrder(bytes) else { return nil }
    let items = order.items.map { JSON.string(liveNames[$0] ?? "?") }
    let fields: [String: JSON] = [
      "items": .array(items), "interval_s": .integer(order.interval), "max_minutes": .integer(order.minutes),
    ]
    return FitCloudVectorValue(fields: fields, encoded: order.bytes)
  }

  private static func profile(_ bytes: [UInt8]) -> FitCloudVectorValue? {
    guard let profile = FitCloudProfile(bytes) else { return nil }
    let fields: [String: JSON] = [
      "sex_bit": .integer(profile.isMale ? 1 : 0), "age": .integer(profile.age),
      "height_cm": .number(Double(profile.height) / 2), "weight_kg": .number(Double(profile.weight) / 2),
    ]
    return FitCloudVectorValue(fields: fields, encoded: profile.bytes)
  }

  private static func monitor(_ bytes: [UInt8]) -> FitCloudVectorValue? {
    guard let monitor = FitCloudMonitor(bytes) else { return nil }
    var fields: [String: JSON] = [
      "enabled": .bool(monitor.isOn), "start_min": .integer(monitor.begin), "end_min": .integer(monitor.end),
    ]
    if let interval = monitor.interval { fields["interval_min"] = .integer(interval) }
    return FitCloudVectorValue(fields: fields, encoded: monitor.bytes)
  }

  private static func battery(_ bytes: [UInt8]) -> FitCloudVectorValue? {
    guard let battery = FitCloudBattery(bytes) else { return nil }
    var fields: [String: JSON] = ["percent": .integer(battery.percent)]
    if let isCharging = battery.isCharging { fields["charging"] = .bool(isCharging) }
    return FitCloudVectorValue(fields: fields, encoded: nil)
  }

  // MARK: History

  private static let kinds = [
    "heart_rate": "heart-rate", "spo2": "spo2", "blood_pressure": "blood-pressure", "pressure": "blood-pressure",
    "respiration": "respiration", "sleep": "sleep", "steps": "steps",
  ]
  private static let stages: [Int64: String] = [1: "awake", 2: "rem", 3: "light", 4: "deep"]

  /// - Throws: `ItemDefect` if the records cannot be read.
  private static func history(_ vector: FitCloudVector, _ bytes: [UInt8]) throws -> FitCloudVectorValue? {
    // What must be refused names no type: it is so for every one of them.
    let type = vector.fields["type"]?.text ?? "heart_rate"
    guard let id = kinds[type], let kind = HistoryKind.all.first(where: { $0.id == id }), let size = kind.itemSize
    else { return nil }
    let reading = HistoryReading(kind)
    let head = HistoryHead(code: kind.type, .old, shown: 0, isSure: false)
    var samples: [JSON] = []
    try bytes.withUnsafeBytes { raw in
      var cursor = HistoryCursor(itemSize: size)
      while let item = try cursor.next(raw) {
        let sink = CollectingItems()
        if item.value == 0 { continue }
        reading.decode(item, head, HistoryPlacing.Place(time: item.time, isSure: true, era: 0), into: sink)
        guard let first = sink.items.first else { continue }
        var fields = ["local": text(item.time)]
        switch kind.content {
        case .sleep: fields["stage"] = .string(stages[first.values[1]] ?? "?")
        case .steps: fields["value"] = .integer(first.values[1])
        case .pressure:
          fields["systolic"] = .integer(first.values[0] / 100)
          fields["diastolic"] = .integer(sink.items[1].values[0] / 100)
        default: fields["value"] = .integer(first.values[0])
        }
        samples.append(.object(fields))
      }
    }
    return FitCloudVectorValue(fields: ["type": .string(type), "samples": .array(samples)], encoded: nil)
  }
}
