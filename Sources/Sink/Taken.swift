// Interpretation of hubs' messages by topic and payload: pure.

internal import JSONText
internal import MQTTWire
internal import Reasons
internal import UplinkMessages

/// Batch, with its hub according to the topic that the broker allowed.
struct TakenBatch: Sendable {
  let hub: HubName
  let batch: RowBatch
  /// Original message, in case the database refuses the batch.
  var message = RejectedMessage(topic: "", payload: [], cause: "")
  /// Whether it is a retained message: its arrival does not prove that its hub is present.
  var isKept = false
}

/// Reference to a ring in a batch: a run of its rows, or its acknowledged position.
protocol RingMention {
  var enrolment: UInt32 { get }
  var device: String { get }
  var address: UInt64 { get }
  var series: String { get }
  var unit: String { get }
  var isFetched: Bool { get }
}

extension RowRun: RingMention {}
extension RingHead: RingMention {}

extension RowBatch {
  var mentions: [any RingMention] { heads + runs }
}

/// Message that is put aside.
struct RejectedMessage: Sendable {
  let topic: String
  let payload: [UInt8]
  var cause: String
  var reason = Reason.sinkBatchRefused

  /// The same with `?` for non-ASCII characters; nil if it is all ASCII.
  var inASCII: RejectedMessage? {
    func plain(_ text: String) -> String { String(text.map { $0.isASCII ? $0 : "?" }) }
    if topic.utf8.allSatisfy({ $0 < 0x80 }), cause.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    return RejectedMessage(topic: plain(topic), payload: payload, cause: plain(cause), reason: reason)
  }
}

/// Report about a hub itself.
enum HubWord: Sendable, Hashable {
  case born(birth: UInt64?)
  case died(birth: UInt64?)
  /// JSON made by the hub, and whether it says that the hub leaves in order.
  case status(String, isOffline: Bool)
}

/// Interpretation of one message.
enum Taken: Sendable {
  case batch(TakenBatch)
  case word(HubName, HubWord, isRetained: Bool)
  case quarantined(RejectedMessage)
  /// Message of a hub that another sink handles, or of another topic.
  case nothing

  init(_ message: MQTTMessage, part: SinkPart) {
    self.init(topic: message.topic, payload: message.payload, isRetained: message.isRetained, part: part)
    if !message.isCut { return }
    // No hub sends this much; the start of the message shows its sender.
    if case .quarantined(var aside) = self {
      aside.cause = "longer than is read; its begin: \(aside.cause)"
      self = .quarantined(aside)
    } else {
      self = .nothing
    }
  }

  init(topic: String, payload: [UInt8], isRetained: Bool, part: SinkPart) {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    if levels.count == 6, levels[0] == "hearth", levels[1] == "1", levels[4] == "heads" {
      let hub = HubName(group: String(levels[2]), name: String(levels[3]))
      self = part.takes(hub) ? Self.rows(hub, topic, payload, isHeads: true) : .nothing
    } else if levels.count == 5, levels[0] == "hearth", levels[1] == "1" {
      let hub = HubName(group: String(levels[2]), name: String(levels[3]))
      if !part.takes(hub) {
        self = .nothing
      } else if levels[4] == "rows" {
        self = Self.rows(hub, topic, payload)
      } else if levels[4] == "status", let status = Self.status(payload) {
        self = .word(hub, status, isRetained: isRetained)
      } else {
        self = .nothing
      }
    } else if levels.count == 4, levels[0] == "spBv1.0" {
      let hub = HubName(group: String(levels[1]), name: String(levels[3]))
      if !part.takes(hub) {
        self = .nothing
      } else if levels[2] == "NBIRTH" {
        self = .word(hub, .born(birth: SparkplugGlance.birth(in: payload)), isRetained: isRetained)
      } else if levels[2] == "NDEATH" {
        self = .word(hub, .died(birth: SparkplugGlance.birth(in: payload)), isRetained: isRetained)
      } else {
        self = .nothing
      }
    } else {
      self = .nothing
    }
  }

  private static func rows(_ hub: HubName, _ topic: String, _ payload: [UInt8], isHeads: Bool = false) -> Taken {
    // A deleted retained topic has an empty message.
    if isHeads, payload.isEmpty { return .nothing }
    do throws(RowBatchDefect) {
      let batch = try RowBatch(reading: payload)
      // The broker controls on which topics a client may publish, so a batch that names another hub than its topic is
      // invalid. Retained messages are sent to every subscriber and do not prove the ownership of a store, so they may
      // not contain rows.
      if isHeads, !batch.runs.isEmpty || !batch.corrections.isEmpty {
        return .quarantined(RejectedMessage(topic: topic, payload: payload, cause: "rows on the topic of heads"))
      }
      if topicLevel(batch.hub) != hub.name {
        return .quarantined(
          RejectedMessage(topic: topic, payload: payload, cause: "it names another hub than its topic"))
      }
      return .batch(
        TakenBatch(
          hub: hub, batch: batch, message: RejectedMessage(topic: topic, payload: payload, cause: ""), isKept: isHeads))
    } catch {
      return .quarantined(RejectedMessage(topic: topic, payload: payload, cause: error.description))
    }
  }

  /// Largest status in bytes; the hub's own has a few hundred.
  private static let statusLimit = 64 << 10

  private static func status(_ payload: [UInt8]) -> HubWord? {
    if payload.count > statusLimit { return nil }
    guard let status = try? JSON.parse(payload), case .object = status else { return nil }
    return .status(String(decoding: payload, as: UTF8.self), isOffline: status["state"]?.text == "offline")
  }
}

/// Name as in a topic: some brokers split at dots, and refuse blanks.
func topicLevel(_ name: String) -> String {
  String(name.map { "+#/. ".contains($0) ? "_" : $0 })
}

/// Share of the hubs for a broker without shared subscriptions: the part-th of `of` parts.
public struct SinkPart: Sendable, Hashable {
  /// Number of the part, from 1 on.
  public let part: Int
  /// Number of parts.
  public let of: Int

  /// Part that has all hubs.
  public static let all = SinkPart(part: 1, of: 1)

  init(part: Int, of: Int) { (self.part, self.of) = (part, of) }

  /// `2/3`.
  init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let part = numbers[0], let of = numbers[1], (1...64).contains(of), (1...of).contains(part)
    else { return nil }
    self.init(part: part, of: of)
  }

  var text: String { "\(part)/\(of)" }

  /// The same in every sink and release: FNV-1a of group and name.
  func takes(_ hub: HubName) -> Bool {
    if of == 1 { return true }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(hub.group)/\(hub.name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(hash % UInt64(of)) == part - 1
  }
}

/// Parser of the only field needed of a Sparkplug B birth or death: the birth number.
enum SparkplugGlance {
  /// Value of the metric `bdSeq`; nil if it is missing. Field numbers are those of the published definition: metrics 2;
  /// name 1, int_value 10, long_value 11.
  static func birth(in payload: [UInt8]) -> UInt64? {
    var fields = WireGlance(payload[...])
    while let field = fields.next() {
      guard field.number == 2, let metric = field.bytes else { continue }
      var inner = WireGlance(metric)
      var (isIt, value): (Bool, UInt64?) = (false, nil)
      while let field = inner.next() {
        if field.number == 1, let name = field.bytes { isIt = name.elementsEqual("bdSeq".utf8) }
        if field.number == 10 || field.number == 11 { value = field.value }
      }
      if isIt { return value }
    }
    return nil
  }
}

/// Iterates over the fields of a message without decoding it.
private struct WireGlance {
  struct Field {
    let number: UInt64
    var value: UInt64?
    var bytes: ArraySlice<UInt8>?
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> Field? {
    guard let tag = varint() else { return nil }
    var field = Field(number: tag >> 3)
    switch tag & 7 {
    case 0:
      guard let value = varint() else { return nil }
      field.value = value
    case 1: if take(8) == nil { return nil }
    case 5: if take(4) == nil { return nil }
    case 2:
      guard let length = varint(), length <= UInt64(rest.count), let bytes = take(Int(length)) else { return nil }
      field.bytes = bytes
    default: return nil
    }
    return field
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    if count > rest.count { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for place in 0..<10 {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << UInt64(7 * place)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
