import CivilTime
import EventLoop
import Foundation
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("The vectors of Polar's file transfer", .serialized)
struct TransferVectorTests {
  typealias Value = PolarVectors.Value

  static let topics = ["psftp_framing", "psftp_operations", "d2h_notifications", "file_utils", "time", "device_misc"]
  static let vectors = PolarVectors.chosen(topics.flatMap { (try? PolarVectors.load($0)) ?? [] }, isChosen)

  /// If the two platforms of Polar's own kit differ, the hub follows one. From iOS: all 16 bits of an error code, and
  /// an unknown offset of the time. From Android: a directory that does not exist is empty. Behaviour of only the other
  /// one is left out.
  static func isChosen(_ vector: PolarVectors.Vector) -> Bool {
    guard let platform = vector.platform?.lowercased() else { return true }
    switch vector.topic {
    case "psftp_framing", "time": return platform != "android"
    case "file_utils": return platform != "ios"
    default: return true
    }
  }

  @Test("are there, and every topic can be read", arguments: topics)
  func vectorsAreThere(topic: String) throws { try PolarVectors.expectSome(topic, Self.isChosen) }

  @Test("are what the client makes of them", arguments: vectors)
  func vector(_ vector: PolarVectors.Vector) throws {
    try onLoop { _ async throws in
      let made: Result<[String: Value]?, any Error>
      do { made = .success(try await Self.make(vector)) } catch { made = .failure(error) }
      PolarVectors.judge(made, vector)
    }
  }

  @LoopActor
  static func make(_ vector: PolarVectors.Vector) async throws -> [String: Value]? {
    switch vector.topic {
    case "psftp_framing": try await framing(vector.input)
    case "psftp_operations": try operations(vector.input)
    case "d2h_notifications": try event(vector.input)
    case "file_utils": try await files(vector.input)
    case "time": try await TimeVectors.make(vector.input)
    case "device_misc": try FactVectors.make(vector.input)
    default: nil
    }
  }

  static func bytes(_ input: [String: Value], _ key: String) throws -> [UInt8] {
    try #require(input[key]?.bytes, "\(key)")
  }
  static func text(_ input: [String: Value], _ key: String) throws -> String {
    try #require(input[key]?.text, "\(key)")
  }

  // MARK: framing

  @LoopActor
  private static func framing(_ input: [String: Value]) async throws -> [String: Value]? {
    switch input["op"]?.text {
    case "decode":
      let bytes = try bytes(input, "packet")
      let packet = try #require(bytes.withUnsafeBytes { PSFTP.AirPacket($0) })
      return [
        "next": Value(packet.header.continues ? 1 : 0), "status": Value("\(packet.header.status)"),
        "sequence": Value(packet.header.sequence),
        "payload": Value(bytes: packet.payload), "error": packet.code.map { Value($0) } ?? .null,
      ]
    case "response":
      let packets = try #require(input["packets"]?.list)
      return try await response(packets.compactMap(\.bytes))
    case "notification":
      let packets = try #require(input["packets"]?.list)
      return try await notification(packets)
    case "build":
      let message: [UInt8]
      switch input["kind"]?.text {
      case "request":
        let command = try #require(PSFTP.Command(vector: input["command"]?.text))
        let path = try text(input, "path")
        message = try #require(
          PSFTP.Message.request(command, path, content: input["content"]?.bytes ?? input["data"]?.bytes ?? [])
        ).bytes
      case "query":
        let number = try #require(input["id"]?.integer)
        let code = try UInt16(vector: number)
        let query = try #require(PSFTP.Query(rawValue: code))
        message = PSFTP.Message.query(query, input["parameters"]?.bytes ?? []).bytes
      default:
        // Numbers that the hub never says are framed alike.
        let number = try #require(input["id"]?.integer)
        message = [try UInt8(vector: number)] + (input["parameters"]?.bytes ?? [])
      }
      let size = try #require(input["mtu"]?.integer)
      let packets = PSFTP.AirPackets(message, size: Int(size))
      return ["packets": .list(packets.map { Value(bytes: $0) })]
    default: return nil
    }
  }

  /// As the client takes it, over a link to a wearable that answers with these packets.
  @LoopActor
  private static func response(_ packets: [[UInt8]]) async throws -> [String: Value] {
    let pocket = PocketTransfer()
    pocket.link.mtu = 517
    pocket.answersWith = packets
    let (answer, bytes) = try await PSFTPClient(pocket.link).perform(.query(.getDiskSpace), limit: 1 << 16)
    let error: UInt16 = if case .failed(let error) = answer { error.code } else { 0 }
    return [
      "data": Value(bytes: bytes), "error": Value(error),
      "cancel": pocket.cancels > 0 ? Value(bytes: PSFTP.cancellation) : .null,
    ]
  }

  /// A transport status is what the link then says instead of the next value.
  @LoopActor
  private static func notification(_ packets: [Value]) async throws -> [String: Value] {
    let link = StatusLink()
    link.values = try packets.map {
      let value = try #require($0.list?.first?.bytes)
      let status = try #require($0.list?.last?.integer)
      return (value, try UInt8(vector: status))
    }
    do throws(VisitTrouble) {
      let whole = try await PSFTPClient(link).nextNotification(within: .seconds(1))
      return ["id": Value(whole.id), "parameters": Value(bytes: whole.parameters)]
    } catch {
      switch error {
      case .refused(let code, _): return ["transportError": Value(code.rawValue)]
      case .silent: return ["none": .bool(true)]
      default: throw error
      }
    }
  }

  // MARK: operations and events

  private static func operations(_ input: [String: Value]) throws -> [String: Value]? {
    switch input["op"]?.text {
    case "encode":
      let command = try #require(PSFTP.Command(vector: input["command"]?.text))
      let path = try text(input, "path")
      let operation = try #require(PSFTP.Message.operation(command, path))
      return ["bytes": Value(bytes: operation)]
    case "directory":
      let bytes = try bytes(input, "data")
      let directory = try #require(bytes.withUnsafeBytes { PSFTP.Directory($0) })
      return ["entries": .list(directory.entries.map { .object(["name": Value($0.name), "size": Value($0.size)]) })]
    default: return nil
    }
  }

  private static func event(_ input: [String: Value]) throws -> [String: Value]? {
    let number = try #require(input["id"]?.integer)
    let raw = PSFTP.RawNotification(id: try UInt8(vector: number), parameters: input["parameters"]?.bytes ?? [])
    guard let event = PSFTP.DeviceEvent(raw) else { return ["none": .bool(true), "name": .null, "message": .null] }
    return [
      "name": Value(event.kind.name), "message": event.content.fields.map { .object($0) } ?? .null,
      "rawKept": .bool(event.parameters == raw.parameters),
    ]
  }

  // MARK: files

  @LoopActor
  private static func files(_ input: [String: Value]) async throws -> [String: Value]? {
    let pocket = PocketTransfer()
    let client = PSFTPClient(pocket.link)
    if let directories = input["directories"]?.object {
      pocket.listings = directories.compactMapValues { listing in
        listing.list?.compactMap { entry in
          guard let pair = entry.list, let name = pair.first?.text else { return nil }
          return (name, Int(clamping: pair.last?.uint ?? 0))
        }
      }
    }
    pocket.codeForMissing = try UInt16(vector: input["errorForMissing"]?.integer ?? 103)
    pocket.link.mtu = 517
    switch input["op"]?.text {
    case "list":
      let path = try text(input, "path")
      let paths: [String]
      if input["deep"]?.isTrue == true {
        paths = try await client.walk(path).files.map(\.path)
      } else {
        paths = try await client.list(path)?.entries.map { path + $0.name } ?? []
      }
      return ["paths": .list(paths.map { Value($0) }), "requests": Value(pocket.operations.count)]
    case "isEmpty": return ["empty": .bool(try await client.isEmpty(text(input, "path")))]
    case "autoSampleDelete":
      let (limit, content) = (try text(input, "until"), try bytes(input, "file"))
      let until = try #require(LocalDate(text: limit))
      let day = try #require(PSFTP.sampleDay(content))
      let rules = RemovalRules(today: LocalDate(dayNumber: max(until.dayNumber, day.dayNumber) + 1)) { _ in true }
      let file = PSFTP.RemoteFile(path: "/U/0/AUTOS/AUTOS000.BPB", size: 1)
      return [
        "delete": .bool(!RemovalPlan.automaticSamples([DatedFile(file: file, day: day)], rules, until: until).isEmpty)
      ]
    case "removeMany":
      let paths = try #require(input["paths"]?.list)
      for path in paths.compactMap(\.text) { try await client.remove(path) }
      // Each in one packet: its header, the length of the operation, the operation.
      let sent = pocket.link.written.filter { $0.characteristic == PSFTP.transfer }.map {
        Value(bytes: $0.value.dropFirst(3))
      }
      return ["requests": Value(pocket.operations.count), "operations": .list(sent)]
    default: return nil
    }
  }
}

extension PSFTP.Command {
  fileprivate init?(vector name: String?) {
    guard let found = Self.allCases.first(where: { "\($0)".uppercased() == name }) else { return nil }
    self = found
  }
}

/// A link that sends values, and statuses of the transport instead of values.
@LoopActor
final class StatusLink: WearableLink {
  let address = BluetoothAddress(value: 0xC0FF_EE00_0002, kind: .lePublic)
  let mtu = 517
  let database = PocketTransfer.layout
  private(set) var now: Int64 = 0
  var hubTime: HubTime { HubTime(wall: WallTime(microseconds: now / 1000), monotonic: now, isTrusted: true) }
  let isSecured = true
  var values: [(value: [UInt8], status: UInt8)] = []
  /// Why it was given up.
  var end: VisitTrouble?

  func next(from inbox: Inbox, within: Duration) async throws(VisitTrouble) -> [UInt8] {
    if let end { throw end }
    guard !values.isEmpty else {
      now += within.wholeNanoseconds
      throw .silent(what: "a value")
    }
    let (value, status) = values.removeFirst()
    if status != 0 { throw .refused(ATTErrorCode(rawValue: status), what: "a value") }
    return value
  }

  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8] { [] }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {}
  func writeCommand(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble) {}
  func subscribe(_ characteristic: GATTCharacteristic, into inbox: Inbox) async throws(VisitTrouble) {}
  func settle(for duration: Duration) async throws(VisitTrouble) { now += duration.wholeNanoseconds }
  func secure() async throws(VisitTrouble) {}
  func profileWasDisturbed(settlesAfter after: Duration) {}
  func noteProgress(bytes: Int) {}
  func note(_ oddity: String) {}
}
