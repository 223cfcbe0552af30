// Wearers: changes that are durable when they return.

internal import EventLoop
internal import Health
internal import Reasons

extension RegistryKeeper {
  /// A record's leaf, the path to it and a split or two.
  private static let pagesOfChange = 4

  /// See `Store.wearers`.
  var wearers: [Wearer] { content.people.wearers }

  /// See `Store.wearer`.
  func wearer(_ id: WearerID) -> Wearer? { content.people.wearer(id) }

  /// See `Store.addWearer`.
  func addWearer(name: String) async throws(HearthError) -> Wearer {
    try Wearer.validate(name: name)
    await turn.take()
    defer { turn.give() }
    try refuseTakenWearer(name, by: nil)
    let number = content.people.nextNumber
    if wearers.count >= Wearers.limit || number == .max {
      throw HearthError(.storeTableFull, "\(wearers.count) wearers are kept")
    }
    let wearer = Wearer(id: WearerID(number: number), name: name, createdAt: disk.loop.wall)
    try await write(wearer)
    return wearer
  }

  /// See `Store.renameWearer`.
  func renameWearer(_ id: WearerID, to name: String) async throws(HearthError) {
    try Wearer.validate(name: name)
    await turn.take()
    defer { turn.give() }
    var wearer = try knownWearer(id)
    if wearer.name == name { return }
    if wearer.retiredAt == nil { try refuseTakenWearer(name, by: id) }
    wearer.name = name
    try await write(wearer)
  }

  /// See `Store.retireWearer`.
  func retireWearer(_ id: WearerID) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    var wearer = try knownWearer(id)
    if wearer.retiredAt != nil { return }
    wearer.retiredAt = disk.loop.wall
    try await write(wearer)
  }

  /// See `Store.setBody`.
  func setBody(_ id: WearerID, _ body: BodyFacts) async throws(HearthError) {
    try body.validate()
    await turn.take()
    defer { turn.give() }
    var wearer = try knownWearer(id)
    if wearer.body == body { return }
    wearer.body = body
    try await write(wearer)
  }

  /// See `Store.setHouseID`.
  func setHouseID(_ id: WearerID, _ houseID: String?) async throws(HearthError) {
    if let houseID { try Wearer.validate(name: houseID) }
    await turn.take()
    defer { turn.give() }
    var wearer = try knownWearer(id)
    if wearer.houseID == houseID { return }
    if let houseID, wearer.retiredAt == nil,
      let twin = wearers.first(where: { $0.id != id && $0.retiredAt == nil && $0.houseID == houseID })
    {
      throw HearthError(.wearerNameTaken, "'\(houseID)' is the identifier of wearer \(twin.id.number), \(twin.name)")
    }
    wearer.houseID = houseID
    try await write(wearer)
  }

  private func knownWearer(_ id: WearerID) throws(HearthError) -> Wearer {
    guard let wearer = wearer(id) else { throw HearthError(.noSuchWearer, "no wearer has the number \(id.number)") }
    return wearer
  }

  private func refuseTakenWearer(_ name: String, by id: WearerID?) throws(HearthError) {
    let folded = name.lowercased()
    if let twin = wearers.first(where: { $0.id != id && $0.retiredAt == nil && $0.name.lowercased() == folded }) {
      throw HearthError(.wearerNameTaken, "'\(twin.name)' is the name of wearer \(twin.id.number)")
    }
  }

  /// Changes the disk, then memory. The caller has the registry's turn.
  private func write(_ wearer: Wearer) async throws(HearthError) {
    let number = wearer.id.number
    let next = max(content.people.nextNumber, number == .max ? .max : number + 1)
    try await disk.change(pages: Self.pagesOfChange) { transaction throws(DatabaseFailure) in
      try Wearers.put(transaction, wearer, nextNumber: next)
    }
    content.people.note(wearer)
  }
}
