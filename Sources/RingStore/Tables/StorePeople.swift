// Wearers, assignments and bonds: changes that are durable when they return.

internal import EventLoop
public import Health
public import Reasons

extension Store {
  package var people: People { registry.people }

  /// A record's leaf, the path to it and a split or two.
  private static let pagesOfChange = 4

  // MARK: wearers

  /// All wearers, the retired ones too, in the order in which they were made.
  public var wearers: [Wearer] { registry.people.wearers }

  /// Present or retired.
  public func wearer(_ id: WearerID) -> Wearer? { registry.people.wearer(id) }

  /// - Throws: `wearerNameInvalid`, `wearerNameTaken`, `storeTableFull` (4,096, the retired ones too), or why the disk
  ///   refused; then nothing has changed.
  public func addWearer(name: String) async throws(HearthError) -> Wearer {
    try Wearer.validate(name: name)
    await registryTurn.take()
    defer { registryTurn.give() }
    try refuseTakenWearer(name, by: nil)
    let number = registry.people.nextNumber
    if wearers.count >= Wearers.limit || number == .max {
      throw HearthError(.storeTableFull, "\(wearers.count) wearers are kept")
    }
    let wearer = Wearer(id: WearerID(number: number), name: name, createdAt: loop.wall)
    try await write(wearer)
    return wearer
  }

  /// - Throws: `noSuchWearer`, `wearerNameInvalid`, `wearerNameTaken`, or why the disk refused; then nothing has
  ///   changed.
  public func renameWearer(_ id: WearerID, to name: String) async throws(HearthError) {
    try Wearer.validate(name: name)
    await registryTurn.take()
    defer { registryTurn.give() }
    var wearer = try knownWearer(id)
    if wearer.name == name { return }
    if wearer.retiredAt == nil { try refuseTakenWearer(name, by: id) }
    wearer.name = name
    try await write(wearer)
  }

  /// From now on nothing can be assigned to the wearer. Assignments stay as they are: one that still holds goes on
  /// until the wearable gets another.
  ///
  /// - Throws: `noSuchWearer`, or why the disk refused; then nothing has changed.
  public func retireWearer(_ id: WearerID) async throws(HearthError) {
    await registryTurn.take()
    defer { registryTurn.give() }
    var wearer = try knownWearer(id)
    if wearer.retiredAt != nil { return }
    wearer.retiredAt = loop.wall
    try await write(wearer)
  }

  /// Keeps what is known of a wearer's body, in place of what was.
  ///
  /// - Throws: `noSuchWearer`, `controlBadParameter` for a part out of its range, or why the disk refused; then nothing
  ///   has changed.
  public func setBody(_ id: WearerID, _ body: BodyFacts) async throws(HearthError) {
    try body.validate()
    await registryTurn.take()
    defer { registryTurn.give() }
    var wearer = try knownWearer(id)
    if wearer.body == body { return }
    wearer.body = body
    try await write(wearer)
  }

  // MARK: bonds

  /// By address type and address.
  public var bonds: [Bond] { registry.bonds }

  /// Keeps a bond, in place of an older one with the same address.
  ///
  /// - Throws: `storeTableFull` (512 bonds, or a bond of more or longer keys than there is room for),
  ///   `secretsKeyMissing` or `secretsKeyWrong` where nothing can be sealed, or why the disk refused; then nothing has
  ///   changed.
  public func putBond(_ bond: Bond) async throws(HearthError) {
    try refuseTooLong(bond)
    await registryTurn.take()
    defer { registryTurn.give() }
    if bonds.contains(bond) { return }
    try refuseSurplus(bond)
    let row = BondRow(bond, try secrets.forWriting())
    try await change(pages: Self.pagesOfChange) { transaction throws(DatabaseFailure) in
      try Bonds.put(transaction, row)
    }
    note(bond)
  }

  func refuseTooLong(_ bond: Bond) throws(HearthError) {
    if !bond.fits {
      throw HearthError(.storeTableFull, "a bond has at most \(Bond.keyLimit) keys of \(BondKey.sizeLimit) bytes")
    }
  }

  func refuseSurplus(_ bond: Bond) throws(HearthError) {
    let isThere = bonds.contains { $0.isOf(bond.addressValue, bond.addressKind) }
    if !isThere, bonds.count >= Bonds.limit { throw HearthError(.storeTableFull, "\(bonds.count) bonds are kept") }
  }

  /// After it has become durable.
  func note(_ bond: Bond) {
    let place = registry.bonds.place { ($0.addressKind, $0.addressValue) < (bond.addressKind, bond.addressValue) }
    if place < bonds.count, bonds[place].isOf(bond.addressValue, bond.addressKind) {
      registry.bonds[place] = bond
    } else {
      registry.bonds.insert(bond, at: place)
    }
  }

  /// Forgets a bond; nothing happens if there is none.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  public func removeBond(addressValue: UInt64, addressKind: UInt8) async throws(HearthError) {
    await registryTurn.take()
    defer { registryTurn.give() }
    if !bonds.contains(where: { $0.isOf(addressValue, addressKind) }) { return }
    try await change(pages: Self.pagesOfChange) { transaction throws(DatabaseFailure) in
      try Bonds.remove(transaction, addressValue: addressValue, addressKind: addressKind)
    }
    registry.bonds.removeAll { $0.isOf(addressValue, addressKind) }
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

  /// First the disk, then memory. The caller has the registry's turn.
  private func write(_ wearer: Wearer) async throws(HearthError) {
    let number = wearer.id.number
    let next = max(registry.people.nextNumber, number == .max ? .max : number + 1)
    try await change(pages: Self.pagesOfChange) { transaction throws(DatabaseFailure) in
      try Wearers.put(transaction, wearer, nextNumber: next)
    }
    registry.people.note(wearer)
  }
}
