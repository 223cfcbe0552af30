// Responses of a server's attribute table to discovery requests.

extension GATTAttributeTable {
  func findInformation(_ request: ATTFindInformationRequest, mtu: Int) throws(GATTServer.Refusal) -> [UInt8] {
    try check(request.start, request.end)
    var list = EntryList(limit: mtu - 2)
    for handle in handles(request.start, request.end) {
      guard let type = self[handle]?.type, list.append(handle, value: type.wireBytes) else { break }
    }
    return try list.response(notFound: request.start) { ATTFindInformationResponse(entries: $0) }
  }

  func findByTypeValue(_ request: ATTFindByTypeValueRequest, mtu: Int) throws(GATTServer.Refusal) -> [UInt8] {
    try check(request.start, request.end)
    let type = BluetoothUUID(request.type)
    // A client may search for a 16-bit service by its 128-bit UUID: both name the same service.
    let service = type == .primaryService ? BluetoothUUID(wire: request.value) : nil
    var list = EntryList(limit: mtu - 1)
    for handle in handles(request.start, request.end) {
      guard let attribute = self[handle], attribute.type == type else { continue }
      guard service.map({ $0 == attribute.owner }) ?? attribute.value.elementsEqual(request.value) else { continue }
      guard list.append(handle, groupEnd: attribute.groupEnd ?? handle, value: []) else { break }
    }
    return try list.response(notFound: request.start) { ATTFindByTypeValueResponse(entries: $0) }
  }

  func readByType(_ request: ATTReadByTypeRequest, mtu: Int) throws(GATTServer.Refusal) -> [UInt8] {
    try check(request.start, request.end)
    var list = EntryList(limit: mtu - 2)
    for handle in handles(request.start, request.end) {
      guard let attribute = self[handle], attribute.type == request.type else { continue }
      if let refusal = attribute.refusalToRead {
        if list.isEmpty { throw GATTServer.Refusal(handle: handle, code: refusal) }
        break
      }
      guard list.append(handle, value: attribute.value) else { break }
    }
    return try list.response(notFound: request.start) { ATTReadByTypeResponse(entries: $0) }
  }

  func readByGroupType(_ request: ATTReadByGroupTypeRequest, mtu: Int) throws(GATTServer.Refusal) -> [UInt8] {
    try check(request.start, request.end)
    // Only services group. An empty table is reported as "attribute not found", which says more than "unsupported
    // group".
    guard request.type == .primaryService || request.type == .secondaryService || isEmpty else {
      throw GATTServer.Refusal(handle: request.start, code: .unsupportedGroupType)
    }
    var list = EntryList(limit: mtu - 2)
    for handle in handles(request.start, request.end) {
      guard let attribute = self[handle], attribute.type == request.type, let end = attribute.groupEnd else {
        continue
      }
      guard list.append(handle, groupEnd: end, value: attribute.value) else { break }
    }
    return try list.response(notFound: request.start) { ATTReadByGroupTypeResponse(entries: $0) }
  }

  private func check(_ start: UInt16, _ end: UInt16) throws(GATTServer.Refusal) {
    guard start != 0, start <= end else { throw GATTServer.Refusal(handle: start, code: .invalidHandle) }
  }
}

/// Collects entries of equal length for a discovery response, as many as fit.
private struct EntryList {
  /// Bytes that the entries may fill.
  let limit: Int
  private var entryLength = 0
  private var bytes: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { bytes.isEmpty }

  /// Appends handle, group end if any, and value. The first entry sets the length of all, cut to the PDU and to what a
  /// length byte can express. Returns false for an entry of another length, or if there is no room: the response ends
  /// before it.
  mutating func append(_ handle: UInt16, groupEnd: UInt16? = nil, value: [UInt8]) -> Bool {
    let head = groupEnd == nil ? 2 : 4
    let length = min(head + value.count, limit, 255)
    if bytes.isEmpty { entryLength = length }
    guard length == entryLength, bytes.count + length <= limit else { return false }
    bytes.append(littleEndian: handle)
    if let groupEnd { bytes.append(littleEndian: groupEnd) }
    bytes.append(contentsOf: value.prefix(length - head))
    return true
  }

  func response(notFound start: UInt16, _ make: (ATTEntries) -> some ATTPDU) throws(GATTServer.Refusal) -> [UInt8] {
    let response: [UInt8]? = bytes.withUnsafeBytes { raw in
      ATTEntries(raw, entryLength: entryLength, minimum: 2).map { make($0).bytes }
    }
    guard let response else { throw GATTServer.Refusal(handle: start, code: .attributeNotFound) }
    return response
  }
}
