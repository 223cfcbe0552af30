// Identity and capabilities that a band reports.

import Bluetooth
import EventLoop
import StateCodec
import TopStepMessages
import Wearable

/// Reads device info, functions and Bluetooth info, and stores their raw bytes.
@LoopActor
final class TopStepIdentity {
  private let channel: TopStepChannel
  /// nil without an answer.
  private(set) var info: TopStepDeviceInfo?
  private(set) var functions: [UInt8]?
  private(set) var bluetooth: TopStepBluetoothInfo?

  init(_ channel: TopStepChannel) { self.channel = channel }

  func read() async throws(VisitTrouble) {
    if let bytes = try await channel.askOnce(.deviceInfo) {
      info = try? TopStepDeviceInfo(wire: bytes)
      if info == nil { channel.link.note("what it says of itself is no message") }
    }
    try await readFunctions()
    if let bytes = try await channel.askOnce(.bluetoothInfo) { bluetooth = try? TopStepBluetoothInfo(wire: bytes) }
    try channel.link.remember(
      BandTold(
        capabilities: Array((info.map { [UInt8]($0.capabilities) } ?? []).prefix(CapabilityBytes.limit)),
        functions: Array((functions ?? []).prefix(BandTold.functionsLimit))))
  }

  /// Reads the functions. Their layout is not published, so the bytes are stored without being interpreted.
  func readFunctions() async throws(VisitTrouble) { functions = try await channel.askOnce(.functions) }

  /// Capabilities; nil if the band did not report any.
  var capabilities: CapabilityBytes? {
    guard let bytes = info.map({ [UInt8]($0.capabilities) }), !bytes.isEmpty else { return nil }
    return CapabilityBytes(bytes)
  }

  var facts: [WearableFact] {
    var facts: [WearableFact] = []
    func put(_ bytes: [UInt8]?, _ fact: (String) -> WearableFact) {
      if let text = Self.text(bytes) { facts.append(fact(text)) }
    }
    put(info.map { [UInt8]($0.brand.isEmpty ? $0.company : $0.brand) }) { .manufacturer($0) }
    put(info.map { [UInt8]($0.model.isEmpty ? $0.project : $0.model) }) { .model($0) }
    put(info.map { [UInt8]($0.serial) }) { .serialNumber($0) }
    put(info.map { [UInt8]($0.version) }) { .firmware($0) }
    put(info.map { [UInt8]($0.board) }) { .hardware($0) }
    if let unserved = capabilities?.notServed { facts.append(.notServed(unserved)) }
    return facts
  }

  /// nil if no character can be shown.
  private static func text(_ bytes: [UInt8]?) -> String? {
    bytes.flatMap { $0.withUnsafeBytes { String(cleaning: $0) } }
  }

  /// Identity for display.
  var rows: [ReportRow] {
    func fields(_ all: [(String, String?)]) -> [ReportRow.Field] {
      all.compactMap { name, value in value.map { ReportRow.Field(name, $0) } }
    }
    var rows: [ReportRow] = []
    if let info {
      let texts: [(String, [UInt8])] = [
        ("project", [UInt8](info.project)), ("version", [UInt8](info.version)), ("brand", [UInt8](info.brand)),
        ("model", [UInt8](info.model)), ("board", [UInt8](info.board)), ("company", [UInt8](info.company)),
        ("product", [UInt8](info.product)),
      ]
      rows.append(
        ReportRow(
          "device",
          fields(texts.map { ($0.0, Self.text($0.1)) } + [("capabilities", hexadecimal([UInt8](info.capabilities)))])))
    }
    if let functions { rows.append(ReportRow("functions", fields([("bytes", hexadecimal(functions))]))) }
    if let bluetooth {
      rows.append(
        ReportRow(
          "bluetooth",
          fields([
            ("address", hexadecimal([UInt8](bluetooth.address))), ("name", Self.text([UInt8](bluetooth.name))),
            ("state", "\(bluetooth.state)"),
          ])))
    }
    return rows
  }
}

/// Capability and function bytes as received last, kept until their meaning is known.
struct BandTold: RememberedState {
  static let name = "topstep-told"
  /// Stored bytes at most; four are known.
  static let functionsLimit = 64
  let capabilities: [UInt8]
  let functions: [UInt8]

  init(capabilities: [UInt8], functions: [UInt8]) { (self.capabilities, self.functions) = (capabilities, functions) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, capabilities)
    fields.put(2, functions)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (capabilities, functions): ([UInt8]?, [UInt8]?) = (nil, nil)
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&capabilities, atMost: CapabilityBytes.limit)
      case 2: fields.read(&functions, atMost: Self.functionsLimit)
      default: break
      }
    }
    guard let capabilities else { return nil }
    self.init(capabilities: capabilities, functions: functions ?? [])
  }
}
