import Bluetooth
import Foundation
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Polar: the vectors of the measurement service")
struct PMDVectorTests {
  // MARK: frames

  @Test(
    "frames are read as they should be",
    arguments: PMDVectors.of(
      "frames_acc", "frames_ecg", "frames_gyro", "frames_location", "frames_magnetometer", "frames_offline_hr",
      "frames_ppg", "frames_ppi", "frames_pressure",
      "frames_skin_temperature", "frames_temperature"))
  func frames(_ vector: PolarVectors.Vector) throws {
    let type = try #require(PMDSampleFacts.types[try vector.require("parser").text ?? ""])
    let bytes = try vector.octets("frame")
    let factor = Float(vector.input["factor"]?.double ?? 1)
    let previous = vector.input["previousTimeStamp"]?.uint ?? 0
    let rate = PMD.assumedRate(type, vector.input["sampleRate"]?.double ?? 0)
    let decoder = PMD.FrameDecoder()
    let found = outcome(bytes) { raw throws(DecodeError) -> (count: Int, facts: [[String: PMDFact]]) in
      let frame = try PMD.Frame(raw)
      let samples = try decoder.decode(frame, as: type, factor: factor)
      let times =
        samples.format.isEvenlySpaced
        ? try PMD.SampleTimes(previous: previous, last: frame.time, count: samples.count, rate: rate) : nil
      return (
        PMDSampleFacts.count(samples),
        (0..<PMDSampleFacts.count(samples)).map { PMDSampleFacts.facts(samples, $0, frame, times, type) }
      )
    }
    if vector.isRefusal {
      #expect(throws: DecodeError.self) { try found.get() }
      return
    }
    let (count, facts) = try found.get()
    vector.check(["sampleCount": .whole(count), "samples": .list(facts.map { .object($0) })])
  }

  @Test("differences are added up", arguments: PMDVectors.of("pmd_delta"))
  func delta(_ vector: PolarVectors.Vector) throws {
    let channels = try #require(try vector.require("channels").int)
    let bits = try #require(try vector.require("bits").int)
    let bytes = try vector.octets("data")
    guard (1...64).contains(channels), (1...32).contains(bits) else {
      throw DoesNotFit(description: "\(channels) channels of \(bits) bits")
    }
    let found = outcome(bytes) { raw throws(DecodeError) -> [Int32] in
      let delta = try PMD.Delta(raw, channels: channels, bits: bits)
      return [Int32](unsafeUninitializedCapacity: delta.samples * channels) { numbers, count in
        numbers.baseAddress.map { delta.decode(into: $0) }
        count = delta.samples * channels
      }
    }
    if vector.isRefusal {
      #expect(throws: DecodeError.self) { try found.get() }
      return
    }
    let numbers = try found.get()
    let samples = stride(from: 0, to: numbers.count, by: channels).map { numbers[$0..<($0 + channels)] }
    func list(_ sample: ArraySlice<Int32>) -> PMDFact { .list(sample.map { .whole($0) }) }
    func patterns(_ sample: ArraySlice<Int32>) -> PMDFact { .list(sample.map { .whole(UInt32(bitPattern: $0)) }) }
    // Vectors state the first samples alone.
    let stated = (vector.expected["samples"] ?? vector.expected["samplesBits"])?.list?.count ?? 0
    vector.check([
      "sampleCount": .whole(samples.count), "reference": samples.first.map(list) ?? .null,
      "samples": .list(samples.prefix(stated).map(list)),
      "samplesBits": .list(samples.prefix(stated).map(patterns)),
    ])
  }

  @Test("samples have the times they were measured at", arguments: PMDVectors.of("pmd_timestamps"))
  func times(_ vector: PolarVectors.Vector) throws {
    // No frame has more samples than bytes.
    let count = vector.input["sampleCount"]?.int ?? 0
    guard count <= 65_536 else { throw DoesNotFit(description: "\(count) samples") }
    let found = outcome { () throws(DecodeError) -> [UInt64] in
      let times = try PMD.SampleTimes(
        previous: vector.input["previousTimeStamp"]?.uint ?? 0, last: vector.input["frameTimeStamp"]?.uint ?? 0,
        count: count,
        rate: vector.input["sampleRate"]?.double ?? 0)
      return (0..<times.count).map { times.time($0) }
    }
    if vector.isRefusal {
      #expect(throws: DecodeError.self) { try found.get() }
    } else {
      let times = try found.get()
      vector.check([
        "timeStamps": .list(times.map { .whole($0) }), "first": times.first.map { .whole($0) } ?? .null,
        "last": times.last.map { .whole($0) } ?? .null,
      ])
    }
  }

  @Test(
    "headers are read, and the time before is remembered for each kind of frame",
    arguments: PMDVectors.of("pmd_frame_header"))
  func headers(_ vector: PolarVectors.Vector) throws {
    let observed = vector.expected["observeType"]?.int
    let frames = try vector.input["frames"].map { try #require($0.list) } ?? [try vector.require("frame")]
    var memories = PMD.FrameMemories()
    var made: [String: PMDFact] = observed.map { ["observeType": .whole($0)] } ?? [:]
    var times: [PMDFact] = []
    var previous: [PMDFact] = []
    for entry in frames {
      if entry.text == "RESET" {
        memories = PMD.FrameMemories()
        continue
      }
      let bytes = try #require(entry.bytes)
      let found = outcome(bytes) { raw throws(DecodeError) -> Void in
        let frame = try PMD.Frame(raw)
        let type = frame.type ?? .ecg
        let before = memories[type, frame.frameType].previous
        memories[type, frame.frameType].note(frame.time)
        if observed == nil || observed == Int(frame.typeOctet) {
          times.append(.whole(frame.time))
          previous.append(.whole(before))
        }
        if vector.input["op"]?.text == "header" {
          made = [
            "type": .whole(frame.typeOctet), "timeStamp": .whole(frame.time), "frameType": .whole(frame.frameType),
            "compressed": .bool(frame.isCompressed),
            "content": .octets(frame.content), "factor": .real(Float(1)), "previousTimeStamp": .whole(before),
          ]
        }
      }
      if vector.isRefusal {
        #expect(throws: DecodeError.self) { try found.get() }
        return
      }
      try found.get()
    }
    (made["timeStamps"], made["previousTimeStamps"]) = (.list(times), .list(previous))
    vector.check(made)
  }

  // MARK: recordings

  @Test("recordings are read", arguments: PMDVectors.of("offline_recording"))
  func recordings(_ vector: PolarVectors.Vector) throws {
    let type = try #require(PMDSampleFacts.types[try vector.require("type").text ?? ""])
    let bytes = try vector.octets("file")
    let decoder = PMD.RecordingDecoder(type, secret: try secret(vector.input["secret"]))
    var facts: [[String: PMDFact]] = []
    let found = outcome(bytes) { raw throws(PMD.Recording.Defect) -> PMD.Recording in
      try decoder.forEachFrame(in: raw) { recording, frame, samples, times in
        facts += (0..<PMDSampleFacts.count(samples)).map { PMDSampleFacts.facts(samples, $0, frame, times, type) }
      }
    }
    if vector.isRefusal {
      #expect(throws: PMD.Recording.Defect.self) { try found.get() }
      return
    }
    let recording = try found.get()
    var made: [String: PMDFact] = [
      "magic": .whole(PMD.Recording.magic), "version": .whole(PMD.Recording.version), "free": .whole(recording.free),
      "eswHash": .whole(recording.firmwareHash),
      "startTime": .text(ClockFace(microseconds: recording.start).text), "settings": settings(recording.settings),
      "parses": .bool(true),
      "frames": .whole(decoder.tally.frames - decoder.tally.malformed), "sampleCount": .whole(decoder.tally.samples),
      "samples": .list(facts.map { .object($0) }),
    ]
    made["first"] = facts.first.map { .object($0) }
    made["last"] = facts.last.map { .object($0) }
    vector.check(made)
  }

  private func secret(_ value: PolarVectors.Value?) throws -> PMD.Secret? {
    guard let members = value?.object else { return nil }
    return try #require(PMD.Secret(try strategy(members["strategy"]?.text), key: members["key"]?.bytes ?? []))
  }

  private func strategy(_ name: String?) throws -> PMD.Secret.Strategy {
    let names: [String: PMD.Secret.Strategy] = ["none": .none, "xor": .xor, "aes128": .aes128, "aes256": .aes256]
    return try #require(names[name ?? ""])
  }

  @Test("keys are set and used", arguments: PMDVectors.of("pmd_secret"))
  func secrets(_ vector: PolarVectors.Vector) throws {
    let made = PMD.Secret(try strategy(try vector.require("strategy").text), key: try vector.octets("key"))
    if try vector.require("op").text == "serialise" {
      if vector.isRefusal {
        #expect(made == nil)
      } else {
        vector.check(["bytes": .octets(try #require(made).encode())])
      }
      return
    }
    let data = try vector.octets("data")
    let plain = data.withUnsafeBytes { made?.decrypt($0) }
    if vector.isRefusal {
      #expect(plain == nil)
    } else {
      vector.check(["plain": .octets(try #require(plain))])
      #expect(plain?.withUnsafeBytes { made?.encrypt($0) } == data)
    }
  }

  @Test("recordings are found", arguments: PMDVectors.of("offline_listing"))
  func listings(_ vector: PolarVectors.Vector) throws {
    let entries: [PMD.RecordingEntry]
    switch try vector.require("op").text {
    case "fileType":
      let type = PMD.RecordingName.type(fileName: try #require(try vector.require("name").text))
      if vector.isRefusal {
        #expect(type == nil)
      } else {
        #expect(type.map { Int($0.rawValue) } == vector.expected["type"]?.int)
      }
      return
    case "listV1": entries = PMD.RecordingEntry.all(of: try files(try vector.require("files")))
    case "listV2":
      let text = Array(try #require(try vector.require("text").text).utf8)
      entries = text.withUnsafeBytes { PMD.RecordingEntry.all(index: $0) } ?? []
    case "listTree":
      let index = Array((vector.input["index"]?.text ?? "").utf8)
      entries =
        try index.withUnsafeBytes { PMD.RecordingEntry.all(index: $0) }
        ?? PMD.RecordingEntry.all(of: walk(PMD.recordingRoot, try #require(vector.input["directories"]?.object)))
    default:
      Issue.record("nobody knows this operation")
      return
    }
    let stated = try #require(vector.expected["entries"]?.list).map { try #require($0.object) }
    // In any order: each in the place of the stated entry that is of its type and size.
    let knowsSizes = stated.allSatisfy { $0["size"] != nil }
    func place(_ entry: PMD.RecordingEntry) -> Int? {
      stated.firstIndex {
        $0["type"]?.int == Int(entry.type.rawValue) && (!knowsSizes || $0["size"]?.uint == entry.size)
      }
    }
    vector.check([
      "entries": .list(
        entries.sorted { place($0) ?? .max < place($1) ?? .max }.map { entry in
          .object(
            facts(
              entry, place(entry).map { stated[$0] } ?? [:],
              zone: vector.input["timeZone"]?.text.flatMap { TimeZone(identifier: $0) }))
        })
    ])
  }

  private func facts(_ entry: PMD.RecordingEntry, _ stated: [String: PMDFact], zone: TimeZone?) -> [String: PMDFact] {
    let time = ClockFace(microseconds: entry.begins)
    var facts: [String: PMDFact] = [
      "type": .whole(entry.type.rawValue), "size": .whole(entry.size), "dateTime": .text(time.text),
    ]
    // The vendor's first program names the whole by its first part, the second without a part's number.
    facts["path"] = .text(stated["path"]?.text == entry.parts[0].path ? entry.parts[0].path : entry.path)
    facts["pathSuffix"] = stated["pathSuffix"]?.text.map { .text(entry.path.hasSuffix($0) ? $0 : entry.path) }
    if let zone {
      // A local time names a moment by the rules of its place.
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let parts = DateComponents(
        year: time.date.year, month: time.date.month, day: time.date.day, hour: time.hour, minute: time.minute,
        second: time.second)
      facts["utcOffsetMinutes"] = calendar.date(from: parts).map { .whole(zone.secondsFromGMT(for: $0) / 60) }
    }
    return facts
  }

  private func files(_ value: PolarVectors.Value) throws -> [(path: String, size: UInt64)] {
    try (try #require(value.list)).map { entry in
      let pair = try #require(entry.list)
      return (try #require(pair.first?.text), pair.last?.uint ?? 0)
    }
  }

  private func walk(_ folder: String, _ directories: [String: PolarVectors.Value]) throws -> [(
    path: String, size: UInt64
  )] {
    // A folder that is its own subfolder has no end.
    guard folder.utf8.count < 256, let listed = directories[folder], listed != .null else { return [] }
    return try files(listed).flatMap { name, size in
      let path = folder + name
      if name.isEmpty { throw DoesNotFit(description: "a file without a name") }
      if path.hasSuffix("/") { return PMD.mayHoldRecordings(folder: path) ? try walk(path, directories) : [] }
      return [(path, size)]
    }
  }

  // MARK: control point

  private static let names: [String: PMD.Setting] = [
    "sampleRate": .sampleRate, "resolution": .resolution, "range": .range, "rangeMilliUnit": .rangeMilliUnit,
    "channels": .channels, "factor": .factor,
  ]

  private func settings(_ settings: PMD.Settings) -> PMDFact {
    var facts: [String: PMDFact] = [:]
    for (name, setting) in Self.names {
      if let values = settings.values[setting] { facts[name] = .list(values.sorted().map { .whole($0) }) }
    }
    return .object(facts)
  }

  private func selection(_ value: PolarVectors.Value?) throws -> PMD.Selection {
    var values: [PMD.Setting: UInt32] = [:]
    for (name, number) in try #require(value?.object) {
      guard let setting = Self.names[name] else { continue }
      values[setting] = UInt32(truncatingIfNeeded: try #require(number.int))
    }
    return PMD.Selection(values)
  }

  @Test("settings are read and written", arguments: PMDVectors.of("pmd_settings"))
  func settings(_ vector: PolarVectors.Vector) throws {
    if try vector.require("op").text == "parse" {
      let bytes = try vector.octets("data")
      let found = outcome(bytes) { raw throws(DecodeError) -> PMD.Settings in try PMD.Settings(raw) }
      if vector.isRefusal {
        #expect(throws: DecodeError.self) { try found.get() }
      } else {
        let found = try found.get()
        vector.check(["settings": settings(found), "count": .whole(found.values.count)])
      }
      return
    }
    let found = outcome { () throws(PMD.Selection.DoesNotFit) -> [UInt8] in
      do { return try selection(vector.input["selected"]).encode() } catch let error as PMD.Selection.DoesNotFit {
        throw error
      } catch { return [] }
    }
    if vector.isRefusal {
      #expect(throws: PMD.Selection.DoesNotFit.self) { try found.get() }
      return
    }
    let bytes = try found.get()
    let again = try bytes.withUnsafeBytes { try PMD.Settings($0) }
    vector.check([
      "reparsed": settings(again), "length": .whole(bytes.count), "factorPresent": .bool(again.values[.factor] != nil),
      "count": .whole(again.values.count),
    ])
  }

  @Test("triggers are read", arguments: PMDVectors.of("pmd_triggers"))
  func triggers(_ vector: PolarVectors.Vector) throws {
    let bytes = try vector.octets("parameters")
    let found = outcome(bytes) { raw throws(DecodeError) -> PMD.TriggerStatus in try PMD.TriggerStatus(raw) }
    if vector.isRefusal {
      #expect(throws: DecodeError.self) { try found.get() }
      return
    }
    let status = try found.get()
    var facts: [String: PMDFact] = [:]
    var all: [String: PMDFact] = [:]
    for (type, enabled) in status.triggers {
      facts["\(type.rawValue)"] = .object([
        "enabled": .bool(enabled != nil), "hasSettings": .bool(enabled.map { !$0.values.isEmpty } ?? false),
      ])
      if let enabled { all["\(type.rawValue)"] = settings(enabled) }
    }
    vector.check(["mode": .whole(status.mode.rawValue), "triggers": .object(facts), "settings": .object(all)])
    #expect(vector.expected["triggers"]?.object.map { $0.count == status.triggers.count } ?? true)
  }

  @Test("settings are asked for by the right command, or not at all", arguments: PMDVectors.of("settings_queries"))
  func queries(_ vector: PolarVectors.Vector) throws {
    let query = try #require(try vector.require("query").text).lowercased()
    let number = try vector.require("type").int
    let type = try #require(number.flatMap { UInt8(exactly: $0) }.flatMap { PMD.MeasurementType(rawValue: $0) })
    let command = PMD.Command.settingsQuery(
      type, query.hasSuffix("offline") ? .offline : .online, isFull: query.hasPrefix("full"))
    var facts: [String: PMDFact] = ["supported": .bool(command != nil)]
    if let command { facts["command"] = .octets(command.encode()) }
    vector.check(facts)
  }

  @Test("commands, answers and states are written and read", arguments: PMDVectors.of("pmd_control_point"))
  func controlPoint(_ vector: PolarVectors.Vector) throws {
    switch try vector.require("op").text {
    case "response":
      let bytes = try vector.octets("value")
      let found = outcome(bytes) { raw throws(DecodeError) -> PMD.Response in try PMD.Response(raw) }
      if vector.isRefusal {
        #expect(throws: DecodeError.self) { try found.get() }
        return
      }
      let response = try found.get()
      vector.check([
        "responseCode": .whole(PMD.Response.marker), "opCode": .whole(response.op),
        "measurementType": .whole(response.typeOctet),
        "status": .whole(response.statusOctet), "more": .bool(response.more),
        "parameters": .octets(response.parameters),
      ])
    case "measurementStatus":
      let status = PMD.MeasurementStatus(octet: try #require(try vector.octets("value").first))
      vector.check(["state": .text("\(status.state)"), "type": .whole(status.octet & PMD.MeasurementType.mask)])
    case "cpNotification":
      let bytes = try vector.octets("value")
      switch try bytes.withUnsafeBytes({ try PMD.Notification($0) }) {
      case .response: vector.check(["kind": .text("response")])
      case .onlineStopped(let types):
        vector.check(["kind": .text("onlineStopped"), "types": .list(types.map { .whole($0.rawValue) })])
      }
    case "startCommand": try start(vector)
    default: Issue.record("nobody knows this operation")
    }
  }

  private func start(_ vector: PolarVectors.Vector) throws {
    let number = try vector.require("type").int
    let type = try #require(number.flatMap { UInt8(exactly: $0) }.flatMap { PMD.MeasurementType(rawValue: $0) })
    let chosen = try selection(vector.input["selected"])
    let isOffline = vector.input["offline"]?.bool == true
    let command = try PMD.Command.start(
      type, isOffline ? .offline : .online, chosen, secret: try secret(vector.input["secret"]))
    let text = PMDFact.octets(command.encode())
    var made: [String: PMDFact] = ["command": text]
    made["commandPrefix"] = vector.expected["commandPrefix"]?.text.map {
      text.text?.hasPrefix($0) == true ? .text($0) : text
    }
    made["contains"] = vector.expected["contains"]?.text.map { text.text?.contains($0) == true ? .text($0) : text }
    if let answer = vector.input["response"]?.bytes {
      var assembler = PMD.ResponseAssembler(of: command)
      guard case .whole(let whole) = answer.withUnsafeBytes({ assembler.take($0) }) else {
        Issue.record("no whole answer")
        return
      }
      made["error"] = .bool(whole.status != .success)
      let settings = try whole.parameters.withUnsafeBytes { try PMD.Settings($0) }
      let factor = PMD.StreamSettings(chosen, answered: settings).factor
      made["status"] = .whole(whole.statusOctet)
      made["factor"] = .real(factor)
      made["factorBits"] = .whole(factor.bitPattern)
    }
    vector.check(made)
  }
}
