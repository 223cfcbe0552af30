// The loss that a command would cause for good, and the agreement to it.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons

/// Options by which a script agrees to a loss.
struct AgreementOptions: ParsableArguments {
  @Flag(help: "Agree to the loss without being asked.")
  var yes = false

  @Option(help: ArgumentHelp("Agree to lose exactly this many items that were not fetched yet.", valueName: "n"))
  var yesLose: UInt64?

  var given: Agreement { Agreement(yes: yes, yesLose: yesLose) }
}

/// Agreement that was given on the command line.
struct Agreement {
  var yes = false
  var yesLose: UInt64?
}

/// The loss that a command would cause.
struct Loss {
  /// The action, as a verb and its object: `forget band-07`.
  let deed: String
  /// The lost things, one per entry.
  var things: [String] = []
  /// Number of items on a wearable that no visit has fetched yet, and that would become unreachable.
  var unfetched = 0

  var option: String { unfetched > 0 ? "--yes-lose \(unfetched)" : "--yes" }

  /// `3 items that it holds and no visit has fetched yet`
  mutating func addUnfetched(_ custody: CustodyDocument) {
    unfetched = custody.items.count { $0.durable == nil && $0.erased == nil }
    if unfetched == 0 { return }
    let known = custody.items.count == CustodyDocument.itemLimit ? "at least " : ""
    things.append("\(known)\(counted(unfetched, "item")) that it holds and no visit has fetched yet")
  }
}

extension Session {
  /// Returns if exactly this loss is agreed to, by an option or at the terminal, where it asks.
  ///
  /// - Throws: `agreementMissing`, with the loss and the option to add.
  func agree(to loss: Loss, _ agreement: Agreement) throws {
    let lost = loss.things.isEmpty ? ["no data that is known of"] : loss.things
    func refusal(_ why: String) -> HearthError {
      let what = lost.map { harmless($0, limit: 160) }.joined(separator: "; ")
      return HearthError(
        .agreementMissing,
        "\(why): to \(harmless(loss.deed)) would lose \(what). No change was made; to agree: \(loss.option)")
    }
    if let count = agreement.yesLose {
      if count == UInt64(loss.unfetched) { return }
      throw refusal("--yes-lose \(count) is another number")
    }
    if agreement.yes {
      if loss.unfetched == 0 { return }
      throw refusal("--yes does not cover items that were not fetched")
    }
    guard !options.json, !options.noInput, isatty(0) == 1, isatty(1) == 1 else {
      throw refusal("confirmation needs a terminal")
    }
    try Output.standard.write("to \(harmless(loss.deed)) would lose:\n")
    for thing in lost { try Output.standard.write("  \(harmless(thing, limit: 160))\n") }
    try Output.standard.write("type yes to do it: ")
    try Output.standard.flush()
    if readLine() != "yes" { throw refusal("the answer was not yes") }
  }

  /// Loss by forgetting a wearable, without its samples, which stay.
  func lossOfForgetting(_ name: String, _ client: ControlClient) throws(HearthError) -> Loss {
    let device = try client.device(.init(name: name)).device
    var loss = Loss(deed: "forget \(device.name)")
    if !device.enrolled { return loss }
    try addHeld(of: device, client, to: &loss)
    if try bond(of: device, client) != nil {
      loss.things.append("its bond: it has to be reset and paired again before it sends data that needs one")
    }
    let found = try client.assignments(.init(name: name)).assignments
    if let wearer = device.wearer {
      loss.things.append("its assignment to \(wearer), the present wearer")
    } else if !found.assignments.isEmpty {
      loss.things.append("its \(counted(found.assignments.count, "assignment")) for what it would measure from now on")
    }
    loss.things.append("its enrolment, with what was ordered of it")
    return loss
  }

  /// Loss by removing the bond of a wearable, which stays enrolled.
  ///
  /// - Throws: `noSuchBond` without a bond.
  func lossOfUnbonding(_ name: String, _ client: ControlClient) throws(HearthError) -> Loss {
    let bonds = try client.bondList().bonds
    guard let bond = bonds.first(where: { $0.device == name || $0.address == name.uppercased() }) else {
      // The name may be unknown: the hub distinguishes the cases.
      let device = try client.device(.init(name: name)).device
      throw HearthError(.noSuchBond, "\(device.name) has no bond with this hub")
    }
    var loss = Loss(deed: "remove the bond of \(bond.device)")
    loss.things.append("its keys: it has to be paired again, and reset for that if it bonds with one hub only")
    let devices = try client.devices().devices
    // A reset for the next pairing empties the wearable.
    if let device = devices.first(where: { $0.name == bond.device && $0.enrolled }) {
      try addHeld(of: device, client, to: &loss)
    }
    return loss
  }

  /// Loss by a new secret: recordings under the former one become unreadable.
  func lossOfSecret(_ name: String, _ client: ControlClient) throws(HearthError) -> Loss {
    var loss = Loss(deed: "change the secret of \(name)")
    loss.addUnfetched(try client.custody(.init(name: name)).custody)
    return loss
  }

  /// Loss by a run of the radio's reset ladder.
  func lossOfRecovering(_ client: ControlClient) throws(HearthError) -> Loss {
    let status = try client.status().status
    var loss = Loss(deed: "reset the radio")
    if status.radio.links > 0 {
      loss.things.append("\(counted(status.radio.links, "link")) for some seconds")
    }
    if status.live > 0 {
      loss.things.append("the live values of \(counted(status.live, "wearable")) in that time")
    }
    if let visit = status.lane.visit {
      loss.things.append("the turn of \(visit.device): its visit resumes later")
    }
    return loss
  }

  private func bond(of device: DeviceDocument, _ client: ControlClient) throws(HearthError) -> BondDocument? {
    let bonds = try client.bondList().bonds
    return bonds.first { $0.device == device.name || $0.address == device.address }
  }

  private func addHeld(of device: DeviceDocument, _ client: ControlClient, to loss: inout Loss) throws(HearthError) {
    loss.addUnfetched(try client.custody(.init(name: device.name)).custody)
    if let visit = device.lastVisit, let ago = age(visit.ended ?? visit.began, wallNow()) {
      loss.things.append("what it recorded since its last visit, \(span(ago)) ago")
    }
  }
}
