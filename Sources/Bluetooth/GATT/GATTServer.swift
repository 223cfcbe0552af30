// GATT server without a socket: requests in, responses out. The hub serves the time to its wearables with one. A
// simulated wearable is one with a database.

/// Write of a client. Writes are listed in the order in which they took effect.
public struct GATTWrite: Hashable, Sendable {
  /// Handle of the written attribute.
  public let handle: UInt16
  /// Type of the attribute: the characteristic itself, or a descriptor such as 0x2902.
  public let attribute: BluetoothUUID
  /// The characteristic that the attribute belongs to.
  public let characteristic: BluetoothUUID
  /// The whole value after the write.
  public let value: [UInt8]
  /// False for a write command.
  public let wasAnswered: Bool
}

/// An ATT server over an attribute table, for one bearer.
///
/// Every request gets exactly one response, whatever its bytes; other PDUs get none. The server stores the bearer's
/// MTU, the client's subscriptions and prepared writes. `reset` clears them when the bearer ends. The caller sends
/// everything: `notification(at:value:)` only builds the PDU, and the caller waits for the confirmation of an
/// indication.
public struct GATTServer: Sendable {
  /// A server without attributes: discovery finds no service and every handle is invalid. Wearables that probe the hub
  /// accept this.
  public static let empty = GATTServer([])
  /// MTU that this side states in an exchange, 23 to 517.
  public let ownMTU: Int
  /// MTU in force on the bearer: 23 until the first exchange, by either side. Afterwards the smaller of both
  /// statements.
  public private(set) var mtu = ATT.minimumMTU
  private var isMTUSettled = false
  var table: GATTAttributeTable
  private var prepared: [PreparedPart] = []
  private var preparedBytes = 0
  private var writes: [GATTWrite] = []
  /// A client may prepare the longest value in parts of the smallest MTU (29 of 18 bytes). More than 64 parts, or more
  /// bytes than 4 such values, have no use.
  static let maximumPreparedParts = 64
  static let maximumPreparedBytes = 4 * ATT.maximumValueLength
  /// Bound of the writes that `takeWrites` has not returned yet. The owner takes them after every PDU, so reaching the
  /// bound means that it never does.
  static let maximumKeptWrites = 256

  private struct PreparedPart {
    let handle: UInt16
    let offset: Int
    let bytes: [UInt8]
  }

  /// Handles start at 1, in the order of the definitions, without gaps.
  public init(_ services: [GATTServiceDefinition], ownMTU: Int = ATT.maximumMTU) {
    guard (ATT.minimumMTU...ATT.maximumMTU).contains(ownMTU) else { fatalError("an MTU no server may state") }
    self.ownMTU = ownMTU
    table = GATTAttributeTable(services)
  }

  // MARK: - For the owner of the database

  /// The handle of the first characteristic value of this type.
  public func valueHandle(of uuid: BluetoothUUID) -> UInt16? { table.valueHandle(of: uuid) }
  /// Value of the first characteristic of this type, if any.
  public func value(of uuid: BluetoothUUID) -> [UInt8]? { valueHandle(of: uuid).flatMap { table[$0]?.value } }
  /// Value at a handle; nil: no attribute.
  public func value(at handle: UInt16) -> [UInt8]? { table[handle]?.value }
  /// Sets the value that a client will read. An unknown characteristic or handle is a bug of the caller (traps); only
  /// the first 512 bytes are stored.
  public mutating func setValue(_ value: [UInt8], for uuid: BluetoothUUID) {
    guard let handle = valueHandle(of: uuid) else { fatalError("no such characteristic: \(uuid)") }
    setValue(value, at: handle)
  }

  /// Replaces a value, cut to the longest that ATT allows. The handle must exist.
  public mutating func setValue(_ value: [UInt8], at handle: UInt16) {
    guard var attribute = table[handle] else { fatalError("no such handle: \(handle)") }
    attribute.value = Array(value.prefix(ATT.maximumValueLength))
    attribute.refusal = nil
    table[handle] = attribute
  }

  /// The client's subscription: bit 0 notifications, bit 1 indications. For an unknown characteristic, or one without a
  /// configuration descriptor: 0.
  public func subscription(at valueHandle: UInt16) -> UInt16 {
    guard let handle = table.subscriptionHandle(of: valueHandle), let value = table[handle]?.value, value.count == 2
    else { return 0 }
    return UInt16(value[0]) | UInt16(value[1]) << 8
  }

  /// True if the client subscribed to a characteristic.
  public func isSubscribed(to uuid: BluetoothUUID) -> Bool {
    valueHandle(of: uuid).map { subscription(at: $0) != 0 } ?? false
  }

  /// Builds a notification PDU whether or not the client subscribed. The value is cut to the MTU.
  public func notification(at handle: UInt16, value: [UInt8]) -> [UInt8] {
    value.withUnsafeBytes { ATTNotification(handle: handle, value: RawBytes(rebasing: $0.prefix(mtu - 3))).bytes }
  }

  /// Builds a notification of the first characteristic of this type; nil if the type is not served.
  public func notification(for uuid: BluetoothUUID, value: [UInt8]) -> [UInt8]? {
    valueHandle(of: uuid).map { notification(at: $0, value: value) }
  }

  /// Builds an indication PDU, as `notification` does.
  public func indication(at handle: UInt16, value: [UInt8]) -> [UInt8] {
    value.withUnsafeBytes { ATTIndication(handle: handle, value: RawBytes(rebasing: $0.prefix(mtu - 3))).bytes }
  }

  /// Returns the writes since the last call, subscriptions included.
  public mutating func takeWrites() -> [GATTWrite] {
    defer { writes = [] }
    return writes
  }

  /// Resets the state of an ended bearer: MTU, subscriptions and prepared writes. Values stay.
  public mutating func reset() {
    mtu = ATT.minimumMTU
    isMTUSettled = false
    prepared = []
    preparedBytes = 0
    writes = []
    for handle in table.handles(1, .max) where table[handle]?.subscription != nil { setValue([0, 0], at: handle) }
  }

  /// Settles the MTU. Both directions of a bearer share it, so the client side calls this too. Only the first exchange
  /// counts.
  public mutating func settleMTU(peer: Int) {
    guard !isMTUSettled else { return }
    isMTUSettled = true
    mtu = max(ATT.minimumMTU, min(ownMTU, peer))
  }

  // MARK: - Requests of the client

  /// Responds to one PDU. Nil for commands and for PDUs that are not requests (responses, notifications, confirmations,
  /// empty ones).
  public mutating func respond(to pdu: RawBytes) -> [UInt8]? {
    guard let first = pdu.first else { return nil }
    if ATTRole(of: first) == .command {
      if let command = ATTWriteCommand(pdu) { obey(command) }
      return nil
    }
    guard ATTRole(of: first) == .request else { return nil }
    do throws(Refusal) { return try answer(pdu, opcode: first) } catch {
      return ATTErrorResponse(request: first, handle: error.handle, code: error.code).bytes
    }
  }

  struct Refusal: Error {
    let handle: UInt16
    let code: ATTErrorCode
  }

  private mutating func answer(_ pdu: RawBytes, opcode: UInt8) throws(Refusal) -> [UInt8] {
    switch ATTOpcode(rawValue: opcode) {
    case .exchangeMTURequest: try exchangeMTU(parse(pdu))
    case .findInformationRequest: try table.findInformation(parse(pdu), mtu: mtu)
    case .findByTypeValueRequest: try table.findByTypeValue(parse(pdu), mtu: mtu)
    case .readByTypeRequest: try table.readByType(parse(pdu), mtu: mtu)
    case .readByGroupTypeRequest: try table.readByGroupType(parse(pdu), mtu: mtu)
    case .readRequest: try read(parse(pdu))
    case .readBlobRequest: try readBlob(parse(pdu))
    case .readMultipleRequest: try readMultiple(parse(pdu))
    case .readMultipleVariableRequest: try readMultipleVariable(parse(pdu))
    case .writeRequest: try write(parse(pdu))
    case .prepareWriteRequest: try prepareWrite(parse(pdu))
    case .executeWriteRequest: try executeWrite(parse(pdu))
    default: throw Refusal(handle: 0, code: .requestNotSupported)
    }
  }

  private func parse<PDU: ATTPDU>(_ pdu: RawBytes) throws(Refusal) -> PDU {
    guard let parsed = PDU(pdu) else { throw Refusal(handle: 0, code: .invalidPDU) }
    return parsed
  }

  private mutating func exchangeMTU(_ request: ATTExchangeMTURequest) -> [UInt8] {
    settleMTU(peer: Int(request.mtu))
    return ATTExchangeMTUResponse(mtu: UInt16(ownMTU)).bytes
  }

  private func read(_ request: ATTReadRequest) throws(Refusal) -> [UInt8] {
    let value = try readable(request.handle).value
    return value.withUnsafeBytes { ATTReadResponse(value: RawBytes(rebasing: $0.prefix(mtu - 1))).bytes }
  }

  private func readBlob(_ request: ATTReadBlobRequest) throws(Refusal) -> [UInt8] {
    let value = try readable(request.handle).value
    guard Int(request.offset) <= value.count else { throw Refusal(handle: request.handle, code: .invalidOffset) }
    return value.withUnsafeBytes { bytes in
      ATTReadBlobResponse(value: RawBytes(rebasing: bytes[Int(request.offset)...].prefix(mtu - 1))).bytes
    }
  }

  private func readMultiple(_ request: ATTReadMultipleRequest) throws(Refusal) -> [UInt8] {
    var values: [UInt8] = []
    for handle in request.handles { values.append(contentsOf: try readable(handle).value) }
    return values.withUnsafeBytes { ATTReadMultipleResponse(values: RawBytes(rebasing: $0.prefix(mtu - 1))).bytes }
  }

  private func readMultipleVariable(_ request: ATTReadMultipleVariableRequest) throws(Refusal) -> [UInt8] {
    var list: [UInt8] = []
    for handle in request.handles {
      let value = try readable(handle).value
      list.append(littleEndian: UInt16(truncatingIfNeeded: value.count))
      list.append(contentsOf: value)
    }
    return list.withUnsafeBytes { ATTReadMultipleVariableResponse(list: RawBytes(rebasing: $0.prefix(mtu - 1))).bytes }
  }

  private mutating func write(_ request: ATTWriteRequest) throws(Refusal) -> [UInt8] {
    try store(Array(request.value), at: request.handle, needing: .writeRequest)
    return ATTWriteResponse().bytes
  }

  private mutating func obey(_ command: ATTWriteCommand) {
    // ATT has no response that could report a refused command.
    try? store(Array(command.value), at: command.handle, needing: .writeCommand)
  }

  private mutating func prepareWrite(_ request: ATTPrepareWriteRequest) throws(Refusal) -> [UInt8] {
    _ = try writable(request.handle, needing: .writeRequest)
    // The response repeats the part, so a part longer than the MTU allows cannot be acknowledged.
    guard request.part.count <= mtu - 5 else { throw Refusal(handle: request.handle, code: .invalidPDU) }
    guard prepared.count < Self.maximumPreparedParts, preparedBytes + request.part.count <= Self.maximumPreparedBytes
    else {
      throw Refusal(handle: request.handle, code: .prepareQueueFull)
    }
    prepared.append(PreparedPart(handle: request.handle, offset: Int(request.offset), bytes: Array(request.part)))
    preparedBytes += request.part.count
    return ATTPrepareWriteResponse(handle: request.handle, offset: request.offset, part: request.part).bytes
  }

  private mutating func executeWrite(_ request: ATTExecuteWriteRequest) throws(Refusal) -> [UInt8] {
    let parts = prepared
    prepared = []
    preparedBytes = 0
    if request.flags == 0 { return ATTExecuteWriteResponse().bytes }
    if table.isEmpty { throw Refusal(handle: 0, code: .requestNotSupported) }
    guard request.flags == 1 else { throw Refusal(handle: 0, code: .invalidPDU) }
    // Atomic: the values are composed first and stored only if every part fitted.
    var values: [(handle: UInt16, value: [UInt8])] = []
    for part in parts {
      let attribute = try writable(part.handle, needing: .writeRequest)
      if values.last?.handle != part.handle { values.append((part.handle, [])) }
      guard part.offset <= values[values.count - 1].value.count else {
        throw Refusal(handle: part.handle, code: .invalidOffset)
      }
      guard part.offset + part.bytes.count <= attribute.maximumLength else {
        throw Refusal(handle: part.handle, code: .invalidValueLength)
      }
      values[values.count - 1].value.replaceSubrange(part.offset..., with: part.bytes)
    }
    for (handle, value) in values { try validate(value, for: handle, writable(handle, needing: .writeRequest)) }
    for (handle, value) in values { try store(value, at: handle, needing: .writeRequest) }
    return ATTExecuteWriteResponse().bytes
  }

  // MARK: - Checks

  private func attribute(_ handle: UInt16) throws(Refusal) -> GATTAttribute {
    guard let attribute = table[handle] else { throw Refusal(handle: handle, code: .invalidHandle) }
    return attribute
  }

  private func readable(_ handle: UInt16) throws(Refusal) -> GATTAttribute {
    let attribute = try attribute(handle)
    if let code = attribute.refusalToRead { throw Refusal(handle: handle, code: code) }
    return attribute
  }

  private func writable(_ handle: UInt16, needing access: GATTAttribute.Access) throws(Refusal) -> GATTAttribute {
    let attribute = try attribute(handle)
    guard attribute.access.contains(access) else { throw Refusal(handle: handle, code: .writeNotPermitted) }
    return attribute
  }

  private func validate(_ value: [UInt8], for handle: UInt16, _ attribute: GATTAttribute) throws(Refusal) {
    guard value.count <= attribute.maximumLength else { throw Refusal(handle: handle, code: .invalidValueLength) }
    guard let allowed = attribute.subscription else { return }
    guard value.count == 2 else { throw Refusal(handle: handle, code: .invalidValueLength) }
    guard (UInt16(value[0]) | UInt16(value[1]) << 8) & ~allowed == 0 else {
      throw Refusal(handle: handle, code: .valueNotAllowed)
    }
  }

  private mutating func store(_ value: [UInt8], at handle: UInt16, needing access: GATTAttribute.Access) throws(Refusal)
  {
    var attribute = try writable(handle, needing: access)
    try validate(value, for: handle, attribute)
    attribute.value = value
    table[handle] = attribute
    guard writes.count < Self.maximumKeptWrites else { return }
    writes.append(
      GATTWrite(
        handle: handle, attribute: attribute.type, characteristic: attribute.owner, value: value,
        wasAnswered: access == .writeRequest))
  }
}
