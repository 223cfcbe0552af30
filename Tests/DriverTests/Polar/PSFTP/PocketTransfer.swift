// The smallest wearable with Polar's file transfer: a file system, a clock, faults that a test switches on. Written
// from the protocol's description: it builds and reads packets and messages by itself.

import EventLoop
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@LoopActor
final class PocketTransfer: LinkPeer {
  let database: GATTDatabase
  private(set) lazy var link = ScriptedLink(self)

  /// By path; directories are what the paths say, and those in `folders`.
  var files: [String: [UInt8]] = [:]
  /// Answer to a request for its events; nil: no answer.
  var isSleepRecorded: Bool?
  var folders: Set<String> = []
  /// Listings as they are answered, instead of those that follow from `files`, and the code for what is not among them.
  var listings: [String: [(name: String, size: Int)]]?
  var codeForMissing: UInt16 = 103
  /// Answers to queries, and error codes instead.
  var results: [UInt16: [UInt8]] = [:]
  var codes: [UInt16: UInt16] = [:]
  /// A strap: queries 14 to 16 begin, end and tell of an exercise.
  var keepsExercises = false
  /// Which one is being recorded.
  var recording: String?
  /// Shows the time that it was told.
  var keepsTime = false
  /// Packets that are the answer to everything.
  var answersWith: [[UInt8]]?
  /// Codes for operations, by `command path`.
  var refusals: [String: UInt16] = [:]
  /// Operations that are acknowledged and not done.
  var ignores: Set<String> = []
  /// What it makes of files that are written.
  var becomes: [String: [UInt8]] = [:]
  /// Packets of the next responses that are not sent, counted from 0 over all.
  var lost: Set<Int> = []
  /// Packets after which an arriving file is refused, and with what.
  var abortsWriteAfter: (packets: Int, code: UInt16)?
  /// Stops answering after so many packets.
  var fallsSilentAfter: Int?
  /// The link ends after so many packets.
  var dropsAfter: Int?

  /// Value of the measurement service's control point, if it has one.
  var features: [UInt8] = []
  /// Packets that it answers there, by operation, instead of success alone.
  var answers: [UInt8: [[UInt8]]] = [:]
  /// Contents of directories as they are sent, by path.
  var garbled: [String: [UInt8]] = [:]

  private(set) var commands: [[UInt8]] = []
  private(set) var operations: [String] = []
  private(set) var queries: [UInt16] = []
  private(set) var said: [[UInt8]] = []
  private(set) var cancels = 0
  private(set) var sent = 0
  private var arriving: [UInt8] = []
  private var arrived = 0
  /// What a query's parameters were.
  private(set) var parameters: [UInt16: [UInt8]] = [:]

  static let layout: GATTDatabase = .made(of: [
    GATTServiceDefinition(
      0xFEEE,
      [
        GATTCharacteristicDefinition(PSFTP.transfer, [.write, .writeWithoutResponse, .notify]),
        GATTCharacteristicDefinition(PSFTP.fromDevice, [.notify]),
        GATTCharacteristicDefinition(PSFTP.toDevice, [.write, .writeWithoutResponse]),
      ])
  ])

  /// With the measurement service, which answers to everything.
  static let measuringLayout: GATTDatabase = .made(of: [
    GATTServiceDefinition(
      0xFEEE,
      [
        GATTCharacteristicDefinition(PSFTP.transfer, [.write, .writeWithoutResponse, .notify]),
        GATTCharacteristicDefinition(PSFTP.fromDevice, [.notify]),
        GATTCharacteristicDefinition(PSFTP.toDevice, [.write, .writeWithoutResponse]),
      ]),
    GATTServiceDefinition(
      PMD.service,
      [
        GATTCharacteristicDefinition(PMD.controlPoint, [.read, .write, .indicate]),
        GATTCharacteristicDefinition(PMD.data, [.notify]),
      ]),
  ])

  init(measures: Bool = false) { database = measures ? Self.measuringLayout : Self.layout }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    if characteristic.uuid == PMD.controlPoint { return features }
    throw .refused(.readNotPermitted, what: "a read")
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    try take(characteristic, value)
  }

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    try take(characteristic, value)
  }

  private func take(_ characteristic: GATTCharacteristic, _ packet: [UInt8]) throws(VisitTrouble) {
    if characteristic.uuid == PSFTP.toDevice {
      said.append(packet)
      return
    }
    if characteristic.uuid == PMD.controlPoint {
      commands.append(packet)
      let op = packet.first ?? 0
      for answer in answers[op] ?? [[0xF0, op, packet.count > 1 ? packet[1] : 0, 0, 0]] {
        link.notify(characteristic, answer)
      }
      return
    }
    if packet == [0, 0, 0] {
      cancels += 1
      (arriving, arrived) = ([], 0)
      return
    }
    guard let head = packet.first else { return }
    if head & 1 == 0 { (arriving, arrived) = ([], 0) }
    arriving += packet.dropFirst()
    arrived += 1
    if let abort = abortsWriteAfter, arrived == abort.packets {
      answer(code: abort.code)
      return
    }
    if head >> 1 & 3 == 1 { answer(arriving) }
  }

  private func answer(_ message: [UInt8]) {
    if let answersWith { return answersWith.forEach(notify) }
    guard message.count >= 2 else { return answer(code: 101) }
    let first = UInt16(message[0]) | UInt16(message[1]) << 8
    if first & 0x8000 != 0 {
      let query = first & 0x7FFF
      queries.append(query)
      parameters[query] = Array(message.dropFirst(2))
      if keepsTime, query == 3 { results[4] = parameters[3] }
      if let code = codes[query] { return answer(code: code) }
      if keepsExercises, (14...16).contains(query) { return exercise(query, Array(message.dropFirst(2))) }
      if let result = results[query] { return send(result) }
      return answer(code: 0)
    }
    // 08 command 12 length path: paths here are shorter than 128 bytes.
    let operation = Array(message[2..<min(message.count, 2 + Int(first))])
    guard operation.count >= 4 else { return answer(code: 101) }
    let path = String(decoding: operation[4...], as: UTF8.self)
    let name = "\(["GET", "PUT", "MERGE", "REMOVE"][Int(operation[1]) & 3]) \(path)"
    operations.append(name)
    if let code = refusals[name] { return answer(code: code) }
    if ignores.contains(name) { return answer(code: 0) }
    switch operation[1] {
    case 0: get(path)
    case 3: remove(path)
    default:
      files[path] = becomes[path] ?? Array(message[(2 + Int(first))...])
      if path.hasSuffix("endpoint=stop_sleep_recording") { isSleepRecorded = isSleepRecorded.map { _ in false } }
      if let isSleepRecorded, path.contains("event=sleep_recording_state") { tellSleep(isSleepRecorded) }
      answer(code: 0)
    }
  }

  /// 0A sample-type 12 interval 1A length name, and 08 on 12 length name, by their tables.
  private func exercise(_ query: UInt16, _ parameters: [UInt8]) {
    switch query {
    case 14:
      guard recording == nil, let name = parameters.firstIndex(of: 0x1A) else { return answer(code: 106) }
      recording = String(decoding: parameters[(name + 2)...], as: UTF8.self)
      answer(code: 0)
    case 15:
      guard let name = recording else { return answer(code: 106) }
      files["/\(name)/SAMPLES.BPB"] = [0x0A, 0x02, 0x18, 0x01, 0x12, 0x02, 60, 61]
      recording = nil
      answer(code: 0)
    default:
      let name = Array((recording ?? "").utf8)
      send([0x08, recording == nil ? 0 : 1, 0x12, UInt8(name.count)] + name)
    }
  }

  private func get(_ path: String) {
    guard path.hasSuffix("/") else {
      if let file = files[path] { send(file) } else { answer(code: codeForMissing) }
      return
    }
    if let bytes = garbled[path] { return send(bytes) }
    if let listings {
      if let listing = listings[path] { send(Self.directory(listing)) } else { answer(code: codeForMissing) }
      return
    }
    let entries = children(of: path)
    if entries.isEmpty, path != "/", !folders.contains(path) { return answer(code: 103) }
    send(Self.directory(entries.map { ($0, files[path + $0]?.count ?? 0) }))
  }

  /// What lies in a directory, in the order of names.
  func children(of path: String) -> [String] {
    var names: Set<String> = []
    for place in Array(files.keys) + Array(folders) where place.hasPrefix(path) && place != path {
      let rest = place.dropFirst(path.count)
      names.insert(rest.firstIndex(of: "/").map { String(rest[...$0]) } ?? String(rest))
    }
    return names.sorted()
  }

  private func remove(_ path: String) {
    let folder = path.hasSuffix("/") ? path : path + "/"
    let gone = files.keys.filter { $0 == path || $0.hasPrefix(folder) }
    let emptied = folders.filter { $0.hasPrefix(folder) }
    guard !gone.isEmpty || !emptied.isEmpty else { return answer(code: 103) }
    // The folders above stay, empty or not.
    var parent = PolarPath.parent(path)
    while let place = parent, place != "/" {
      folders.insert(place)
      parent = PolarPath.parent(place)
    }
    for file in gone { files[file] = nil }
    folders.subtract(emptied)
    answer(code: 0)
  }

  /// `PbPFtpDirectory`, by hand.
  static func directory(_ entries: [(name: String, size: Int)]) -> [UInt8] {
    entries.flatMap { entry -> [UInt8] in
      let name = Array(entry.name.utf8)
      let body = [0x0A] + varint(UInt64(name.count)) + name + [0x10] + varint(UInt64(clamping: entry.size))
      return [0x0A] + varint(UInt64(body.count)) + body
    }
  }

  static func varint(_ value: UInt64) -> [UInt8] {
    var (bytes, rest): ([UInt8], UInt64) = ([], value)
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  private func answer(code: UInt16) { notify([0, UInt8(code & 0xFF), UInt8(code >> 8)]) }

  private func send(_ content: [UInt8]) {
    let room = link.mtu - 4
    var (offset, sequence) = (0, UInt8(0))
    repeat {
      let end = min(offset + room, content.count)
      let head = sequence << 4 | (end == content.count ? 2 : 6) | (offset > 0 ? 1 : 0)
      notify([head] + content[offset..<end])
      (offset, sequence) = (end, (sequence + 1) & 15)
    } while offset < content.count
  }

  private func notify(_ packet: [UInt8]) {
    defer { sent += 1 }
    if lost.contains(sent) { return }
    if let fallsSilentAfter, sent >= fallsSilentAfter { return }
    if let dropsAfter, sent >= dropsAfter {
      link.endsAt = 0
      return
    }
    if let characteristic = database.characteristic(PSFTP.transfer) { link.notify(characteristic, packet) }
  }

  /// An event about sleep: not compressed.
  private func tellSleep(_ isRecorded: Bool) {
    let event = Array(#"{"sleep_recording_state":{"enabled":\#(isRecorded ? 1 : 0)}}"#.utf8)
    say([0x02, 18, 0x0A, UInt8(event.count)] + event + [0x10, 1])
  }

  /// Says something by itself.
  func say(_ packet: [UInt8]) {
    if let characteristic = database.characteristic(PSFTP.fromDevice) { link.notify(characteristic, packet) }
  }
}

// MARK: - A visit by the driver

extension PocketTransfer {
  func visit() async throws(VisitTrouble) {
    let session = PolarSession(link)
    _ = try await session.check()
    try await session.finish()
  }

  /// What the visit's end says that people should see to.
  func attention() async -> String? {
    do throws(VisitTrouble) { try await visit() } catch {
      if case .needsAttention(let reason, let what) = error { return "\(reason.code) \(what)" }
      return "\(error)"
    }
    return nil
  }
}
