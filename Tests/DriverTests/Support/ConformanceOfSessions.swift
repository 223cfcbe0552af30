// Whole visits without a hub: no data are lost or removed, and a link may end at any step.

import Bluetooth
import EventLoop
import Health
import RingStore
import Wearable

extension ConformanceKit {
  /// What a driver's session does wrong with its own wearable.
  static func sessionFaults(_ exhibit: Exhibit) throws -> [String] {
    let needsSession = [Capability.files, .erase, .timeRead, .timeSet, .recordingControl].contains {
      exhibit.driver.capabilities.contains($0)
    }
    guard let peer = exhibit.peer else {
      return needsSession ? ["\(exhibit.driver.id) shows no wearable that could be visited"] : []
    }
    return try VirtualLoop.run { _ in
      let id = exhibit.driver.id
      let (link, held) = peer()
      let before = held()
      guard let session = exhibit.driver.makeSession(link) else { return ["\(id) has a wearable and no session"] }
      var faults: [String] = []
      do throws(VisitTrouble) { faults = try await visit(session, exhibit.driver) } catch {
        return ["\(id): a plain visit ends with \(error)"]
      }
      if held() != before { faults.append("\(id) changed what its wearable holds, without one receipt") }
      // The link ends at each request of such a visit in turn.
      for step in 0..<min(link.requests, 2000) {
        let (link, held) = peer()
        link.endsAt = step
        guard let session = exhibit.driver.makeSession(link) else { continue }
        var ended = false
        do throws(VisitTrouble) { _ = try await visit(session, exhibit.driver) } catch {
          if case .link = error {
            ended = true
          } else {
            faults.append("\(id): a link that ends at request \(step) is taken for \(error)")
          }
        }
        if !ended { faults.append("\(id): a link that ends at request \(step) is not noticed") }
        if held() != before { faults.append("\(id): a link that ends at request \(step) costs data") }
        if faults.count > 10 { break }
      }
      return faults
    }
  }

  /// All stages but the removal, which needs a receipt.
  @LoopActor
  private static func visit(_ session: any WearableSession, _ driver: any WearableDriver) async throws(VisitTrouble)
    -> [String]
  {
    var faults: [String] = []
    let capabilities = driver.capabilities
    let report = try await session.check()
    if capabilities.contains(.timeRead), report.clock == nil {
      faults.append("\(driver.id) does not read the clock it can read")
    }
    if capabilities.contains(.timeSet), report.clock?.wasSet != true {
      faults.append("\(driver.id) does not set the clock it can set")
    }
    if report.battery != nil, !capabilities.contains(.battery) {
      faults.append("\(driver.id) tells a charge it does not measure")
    }
    for domain in session.domains {
      if !Set(domain.series).isSubset(of: Set(capabilities.recorded)) {
        faults.append("\(driver.id): \(domain.id) gives series that are no capability")
      }
      let declared = driver.synced?.syncDomains ?? domain.syncDomains
      if !Set(domain.syncDomains).isSubset(of: Set(declared)) {
        faults.append("\(driver.id): \(domain.id) has kinds of data that its driver does not name")
      }
      if Set(domain.syncDomains.flatMap(\.series)) != Set(domain.series) {
        faults.append("\(driver.id): \(domain.id) gives other series than its kinds of data")
      }
      let items = try await domain.list(known: [])
      let kinds = Set(domain.syncDomains.map(\.id))
      if !items.allSatisfy({ kinds.contains(domain.syncDomain(of: $0)) }) {
        faults.append("\(driver.id): \(domain.id) lists what is of none of its kinds of data")
      }
      if items.isEmpty { faults.append("\(driver.id): \(domain.id) lists nothing of its own wearable") }
      if Set(items.map(\.id)).count != items.count { faults.append("\(driver.id): \(domain.id) lists one place twice") }
      var kept: [KnownItem] = []
      for item in items {
        faults += textFaults(item).map { "\(driver.id): \($0)" }
        let (found, mark) = try await fetch(item, domain)
        faults += found.map { "\(driver.id): \(item.id): \($0)" }
        kept.append(
          KnownItem(
            id: item.id, mark: mark ?? item.mark, size: item.size, fetched: item.size ?? 0, isDurable: true,
            isErased: false))
      }
      for removal in domain.removals(of: items) {
        if removal.covers.isEmpty || !removal.covers.allSatisfy({ items.contains($0) }) {
          faults.append("\(driver.id): '\(removal.name)' covers what was not listed")
        }
        if RemovalProof(removal, of: WearableID(number: 1), receipts: []) != nil {
          faults.append("\(driver.id): '\(removal.name)' needs no receipt")
        }
      }
      let again = try await domain.list(known: kept)
      if again.map(\.id) != items.map(\.id) {
        faults.append("\(driver.id): \(domain.id) does not list what is known and still there")
      }
      if zip(again, kept).contains(where: { !$0.mark.isEmpty && $0.mark != $1.mark }) {
        faults.append("\(driver.id): \(domain.id) lists under another mark what is stored")
      }
    }
    faults += try await facetFaults(session, driver)
    try await session.finish()
    if let closing = session.closing, closing.needsClosing {
      try await closing.close()
      if closing.needsClosing { faults.append("\(driver.id) is closed, and something goes on") }
    }
    return faults
  }

  private static func textFaults(_ item: HeldItem) -> [String] {
    func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    var faults: [String] = []
    if item.id.isEmpty || item.id.utf8.count > HeldItem.idLimit || !isPlain(item.id) {
      faults.append("'\(item.id)' names no item")
    }
    if item.mark.utf8.count > HeldItem.markLimit || !isPlain(item.mark) { faults.append("'\(item.mark)' is no mark") }
    if item.part(64, of: 64) == nil { faults.append("'\(item.id)' can have no receipt") }
    return faults
  }

  @LoopActor
  private static func fetch(_ item: HeldItem, _ domain: any FetchDomain) async throws(VisitTrouble) -> (
    faults: [String], mark: String?
  ) {
    let sink = CollectingSink()
    try await domain.fetch(item, into: sink)
    if let size = item.size, sink.bytes.count != size { return (["\(sink.bytes.count) bytes of \(size)"], nil) }
    let samples = CollectingItems()
    let verdict: Result<ItemVerdict, ItemDefect> = sink.bytes.withUnsafeBytes { bytes in
      Result { () throws(ItemDefect) in
        try domain.decode(item, bytes, into: samples)
        return try domain.verify(item, bytes)
      }
    }
    guard case .success(let sound) = verdict else {
      return (["its own wearable's bytes are not sound: \(verdict)"], nil)
    }
    var faults: [String] = []
    if sound.summary.isEmpty { faults.append("nothing is said about it") }
    if samples.items.isEmpty { faults.append("no samples") }
    if samples.items.contains(where: {
      !domain.series.contains($0.series) || $0.values.count != $0.series.layout.valueCount
    }) {
      faults.append("samples of other series or layouts")
    }
    return (faults + random(item, domain), sound.mark)
  }

  /// Random bytes in the place of the item's: never more samples than they can hold, and never a trap.
  @LoopActor
  private static func random(_ item: HeldItem, _ domain: any FetchDomain) -> [String] {
    var generator = SeededGenerator(seed: 0x5241_4E44)
    for round in 0..<200 {
      let bytes = generator.bytes() + (round % 2 == 0 ? generator.bytes() : [])
      let samples = CollectingItems()
      bytes.withUnsafeBytes { bytes in
        _ = try? domain.verify(item, bytes)
        try? domain.decode(item, bytes, into: samples)
      }
      if samples.items.count > bytes.count { return ["\(samples.items.count) samples of \(bytes.count) bytes"] }
    }
    return []
  }
}
