// Bonds: changes that are durable when they return.

internal import EventLoop
internal import Reasons

extension RegistryKeeper {
  /// See `Store.bonds`.
  var bonds: [Bond] { content.bonds }

  /// See `Store.putBond`.
  func putBond(_ bond: Bond) async throws(HearthError) {
    try refuseTooLong(bond)
    await turn.take()
    defer { turn.give() }
    if bonds.contains(bond) { return }
    try refuseSurplus(bond)
    let row = BondRow(bond, try secrets.forWriting())
    try await disk.change(pages: Self.pagesOfBond) { transaction throws(DatabaseFailure) in
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

  /// Called after the bond has become durable.
  func note(_ bond: Bond) {
    let place = content.bonds.place { ($0.addressKind, $0.addressValue) < (bond.addressKind, bond.addressValue) }
    if place < bonds.count, bonds[place].isOf(bond.addressValue, bond.addressKind) {
      content.bonds[place] = bond
    } else {
      content.bonds.insert(bond, at: place)
    }
  }

  /// See `Store.removeBond`.
  func removeBond(addressValue: UInt64, addressKind: UInt8) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    if !bonds.contains(where: { $0.isOf(addressValue, addressKind) }) { return }
    try await disk.change(pages: Self.pagesOfBond) { transaction throws(DatabaseFailure) in
      try Bonds.remove(transaction, addressValue: addressValue, addressKind: addressKind)
    }
    content.bonds.removeAll { $0.isOf(addressValue, addressKind) }
  }

  /// A record's leaf, the path to it and a split or two.
  private static let pagesOfBond = 4
}
