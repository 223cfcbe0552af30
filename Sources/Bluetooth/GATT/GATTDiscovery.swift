// Discovery of a wearable's database: at most 600 requests and 60 s, whatever the wearable sends.

internal import EventLoop

/// Bounds of one procedure of many requests. Each request has its own timeout of 30 s. Without a bound on the whole, a
/// peer that responds after 29 s each time would hold a visit for hours.
@LoopActor
final class GATTProcedure {
  /// Ten times the slowest real discovery: 80 requests at one per 75 ms are 6 s.
  static let timeout = Duration.seconds(60)
  /// Limit: more than the requests for 64 services, 256 characteristics and their descriptors if every response
  /// carries one entry.
  static let maximumTransactions = 600

  let deadline: Instant
  private var transactions = 0

  init(now: Instant) { deadline = now + Self.timeout }

  func countTransaction(now: Instant) throws(GATTError) {
    if now >= deadline { throw .procedureTimeout }
    transactions += 1
    if transactions > Self.maximumTransactions { throw .discoveryBounded(.transactions) }
  }
}

extension GATTClient {
  /// Exchanges the MTU, then validates `cache` or discovers the database, all within 60 s. Called once, first.
  ///
  /// A cache is valid if its database hash is equal. Without a hash, the firmware revision must be equal and a
  /// declaration must still have its handle. The client subscribes to Service Changed, if the wearable has it, for as
  /// long as the link lasts.
  ///
  /// - Throws: `procedureTimeout` after 60 s; `discoveryBounded` for a database beyond the bounds, or more than 600
  ///   requests; `malformed` for contradictory responses. Otherwise why a request failed.
  public func open(cache: GATTCache? = nil) async throws(GATTError) -> GATTDatabase {
    let procedure = GATTProcedure(now: loop.now)
    try await exchangeMTU(procedure)
    let seen = generation
    if let cache, try await holds(cache, procedure), generation == seen {
      adopt(cache, reused: true)
      try await followChanges(cache.database, procedure)
      if generation == seen { return cache.database }
    }
    return try await discover(procedure)
  }

  /// Discovers the database again, within 60 s. Subscriptions stay as they are.
  ///
  /// - Throws: as `open`.
  public func discover() async throws(GATTError) -> GATTDatabase {
    try await discover(GATTProcedure(now: loop.now))
  }

  private func discover(_ procedure: GATTProcedure) async throws(GATTError) -> GATTDatabase {
    while true {
      let seen = generation
      let database = try await readDatabase(procedure)
      let hash = database.characteristic(.databaseHash) == nil ? nil : try await databaseHash(procedure)
      let revision = try await firmwareRevision(of: database, procedure)
      adopt(GATTCache(database: database, hash: hash, firmwareRevision: revision), reused: false)
      try await followChanges(database, procedure)
      if generation == seen { return database }
      // The database changed during the discovery. The procedure's bounds end this loop if it never stops changing.
    }
  }

  /// Keeps the MTU of 23 if the peer does not know the exchange or refuses it for any other reason.
  private func exchangeMTU(_ procedure: GATTProcedure) async throws(GATTError) {
    let request = ATTExchangeMTURequest(mtu: UInt16(truncatingIfNeeded: ownMTU))
    do { try await transact(request.bytes, procedure) { (_: ATTExchangeMTUResponse) in } } catch .refused {}
  }

  // MARK: - Cache

  private func holds(_ cache: GATTCache, _ procedure: GATTProcedure) async throws(GATTError) -> Bool {
    if let hash = cache.hash { return try await databaseHash(procedure) == hash }
    let database = cache.database
    if database.characteristic(.firmwareRevision) != nil {
      guard let known = cache.firmwareRevision, try await firmwareRevision(of: database, procedure) == known else {
        return false
      }
    } else if database.characteristic(.serviceChanged) != nil {
      // The database may change, has no key that would show it, and the wearable without a bond forgets its
      // subscribers.
      return false
    }
    // The last declaration: every change before it moves it.
    guard let last = database.services.last(where: { !$0.characteristics.isEmpty })?.characteristics.last else {
      return false
    }
    var declaration = [last.properties.rawValue]
    declaration.append(littleEndian: last.valueHandle)
    declaration.append(contentsOf: last.uuid.wireBytes)
    do { return try await read(last.declarationHandle, in: procedure) == declaration } catch .refused { return false }
  }

  private func databaseHash(_ procedure: GATTProcedure) async throws(GATTError) -> [UInt8]? {
    let request = ATTReadByTypeRequest(start: 1, end: .max, type: .databaseHash)
    do {
      return try await transact(request.bytes, procedure) { (response: ATTReadByTypeResponse) in
        var entry = response.entries[0]
        entry.skip(2)
        let hash = Array(entry.rest())
        return hash.count == 16 ? hash : nil
      }
    } catch .refused { return nil }
  }

  private func firmwareRevision(of database: GATTDatabase, _ procedure: GATTProcedure) async throws(GATTError)
    -> [UInt8]?
  {
    guard let characteristic = database.characteristic(.firmwareRevision) else { return nil }
    do { return try await read(characteristic.valueHandle, in: procedure) } catch .refused { return nil }
  }

  private func followChanges(_ database: GATTDatabase, _ procedure: GATTProcedure) async throws(GATTError) {
    guard let characteristic = database.characteristic(.serviceChanged, in: .genericAttributeService),
      characteristic.properties.contains(.indicate), let configuration = characteristic.configurationHandle
    else { return }
    // Some wearables require a bond first; then changes are found at the next visit.
    do { try await write(configuration, [2, 0], in: procedure) } catch .refused {}
  }

  // MARK: - Discovery

  private func readDatabase(_ procedure: GATTProcedure) async throws(GATTError) -> GATTDatabase {
    var builder = GATTDatabaseBuilder()
    try await discoverServices(&builder, procedure)
    for service in builder.services.indices {
      try await discoverCharacteristics(of: service, &builder, procedure)
      for characteristic in builder.services[service].characteristics.indices {
        guard let range = builder.descriptorHandles(service: service, characteristic: characteristic) else { continue }
        try await discoverDescriptors(in: range, service, characteristic, &builder, procedure)
      }
    }
    return builder.database
  }

  private func discoverServices(_ builder: inout GATTDatabaseBuilder, _ procedure: GATTProcedure)
    async throws(GATTError)
  {
    try await walk(1...UInt16.max) { range throws(GATTError) in
      let request = ATTReadByGroupTypeRequest(start: range.lowerBound, end: range.upperBound, type: .primaryService)
      let found = try await transact(request.bytes, procedure) {
        (response: ATTReadByGroupTypeResponse) throws(GATTError) in
        try response.entries.map { entry throws(GATTError) in
          guard let start = entry.u16(), let end = entry.u16(), let uuid = entry.attributeType() else {
            throw .malformed(.declaration)
          }
          return (start: start, end: end, uuid: uuid)
        }
      }
      for service in found {
        guard service.start >= range.lowerBound else { throw .malformed(.handleOrder) }
        try builder.addService(service.uuid, service.start, service.end)
      }
      return found.last?.end
    }
  }

  private func discoverCharacteristics(
    of service: Int, _ builder: inout GATTDatabaseBuilder, _ procedure: GATTProcedure
  ) async throws(GATTError) {
    let handles = builder.services[service].handles
    // A service with one attribute consists of its declaration only.
    if handles.count == 1 { return }
    try await walk(handles) { range throws(GATTError) in
      let request = ATTReadByTypeRequest(
        start: range.lowerBound, end: range.upperBound, type: .characteristicDeclaration)
      let found = try await transact(request.bytes, procedure) { (response: ATTReadByTypeResponse) throws(GATTError) in
        try response.entries.map { entry throws(GATTError) in
          guard let handle = entry.u16(), let properties = entry.u8(), let value = entry.u16(),
            let uuid = entry.attributeType()
          else {
            throw .malformed(.declaration)
          }
          return (handle: handle, properties: GATTProperties(rawValue: properties), value: value, uuid: uuid)
        }
      }
      for item in found {
        guard item.handle >= range.lowerBound else { throw .malformed(.handleOrder) }
        try builder.addCharacteristic(
          item.uuid, item.properties, declaration: item.handle, value: item.value, service: service)
      }
      // The next declaration cannot lie before the last value.
      return found.last?.value
    }
  }

  private func discoverDescriptors(
    in range: ClosedRange<UInt16>, _ service: Int, _ characteristic: Int, _ builder: inout GATTDatabaseBuilder,
    _ procedure: GATTProcedure
  ) async throws(GATTError) {
    try await walk(range) { range throws(GATTError) in
      let request = ATTFindInformationRequest(start: range.lowerBound, end: range.upperBound)
      let found = try await transact(request.bytes, procedure) {
        (response: ATTFindInformationResponse) throws(GATTError) in
        try response.entries.map { entry throws(GATTError) in
          guard let handle = entry.u16(), let uuid = entry.attributeType() else { throw .malformed(.declaration) }
          return (handle: handle, uuid: uuid)
        }
      }
      for item in found {
        guard item.handle >= range.lowerBound else { throw .malformed(.handleOrder) }
        try builder.addDescriptor(item.uuid, item.handle, service: service, characteristic: characteristic)
      }
      return found.last?.handle
    }
  }

  /// Requests one part of a range after another until the range is exhausted or the wearable responds with 0x0A. `step`
  /// returns the last handle of its response, which must lie in the requested range.
  private func walk(
    _ handles: ClosedRange<UInt16>, _ step: (ClosedRange<UInt16>) async throws(GATTError) -> UInt16?
  ) async throws(GATTError) {
    var next = handles.lowerBound
    while true {
      let last: UInt16?
      do { last = try await step(next...handles.upperBound) } catch .refused(_, _, let code)
        where code == .attributeNotFound
      { return }
      guard let last, last >= next else { throw .malformed(.handleOrder) }
      if last >= handles.upperBound { return }
      next = last + 1
    }
  }
}

extension ATTEntries {
  /// Maps each entry with `body`, which reads it from a cursor; at most 258 entries fit a PDU.
  fileprivate func map<T>(_ body: (inout ByteReader) throws(GATTError) -> T) throws(GATTError) -> [T] {
    var values: [T] = []
    values.reserveCapacity(count)
    for index in 0..<count {
      var reader = self[index]
      values.append(try body(&reader))
      guard reader.isAtEnd else { throw .malformed(.declaration) }
    }
    return values
  }
}
