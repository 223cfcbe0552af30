// What an export hides: names, addresses, days.

import ArgumentParser
import Export
import HubProtocol
import Pseudonyms
import Reasons
import RingStore

/// Options of an export that leaves the house.
struct MaskOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A pseudonym for every wearable, address and person, under the key in this file.", valueName: "keyfile"),
    completion: .file())
  var pseudonyms: String?

  @Option(
    help: ArgumentHelp(
      """
      With --pseudonyms: house, or the group and hub of hearth-uplink, if persons_of, group or hub of its file are \
      not the usual ones.
      """,
      valueName: "house|group/hub"))
  var pseudonymsOf: String?

  @Flag(help: "Numbers in place of wearables; no addresses and no persons.")
  var noNames = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Move all times by so many whole days, back with a minus.", valueName: "n"))
  var shiftDays = 0

  var isGiven: Bool { pseudonyms != nil || pseudonymsOf != nil || noNames || shiftDays != 0 }

  func validate() throws {
    if pseudonyms != nil, noNames { throw ValidationError("--pseudonyms and --no-names exclude each other") }
    if pseudonymsOf != nil, pseudonyms == nil { throw ValidationError("--pseudonyms-of is for --pseudonyms") }
    if let pseudonymsOf, Self.reach(pseudonymsOf) == nil {
      throw ValidationError("--pseudonyms-of takes house, or a group and a hub as hearth/gym")
    }
    if !RowMask.days.contains(shiftDays) {
      throw ValidationError(
        "--shift-days takes \(RowMask.days.lowerBound) to \(RowMask.days.upperBound) days, a century each way")
    }
  }

  private static func reach(_ text: String) -> NamePseudonyms.Reach? {
    if text == "house" { return .house }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } ? .hub(text) : nil
  }

  /// - Parameters:
  ///   - hub: the name of the hub; asked only if it is needed.
  ///   - houseIDs: the house's own identifiers by the names of persons, as the uplink has them.
  /// - Throws: `Misuse` with `configUnreadable` for a file that is no key, and with `controlBadParameter` if no name of
  ///   the hub is known.
  func mask(hub: () throws -> String?, houseIDs: () throws -> [String: String]) throws -> RowMask {
    guard let file = pseudonyms else { return RowMask(noNames ? .hidden : .shown, days: shiftDays) }
    let key: NameKey
    do throws(HearthError) { key = try NameKey(file: file, as: "--pseudonyms") } catch { throw Misuse(error: error) }
    var reach = pseudonymsOf.flatMap { Self.reach($0) }
    if reach == nil {
      reach = try hub().map { hub in
        Output.error.say("hearth: pseudonyms are those of hearth/\(harmless(hub)); others: --pseudonyms-of\n")
        return .hub("hearth/" + hub)
      }
    }
    guard let reach else {
      throw Misuse(
        error: HearthError(
          .controlBadParameter, "no configuration says what the hub is called: give --pseudonyms-of group/hub"))
    }
    let (made, ids) = (NamePseudonyms(key, of: reach), try houseIDs())
    return RowMask(
      .replaced(person: { made.person($0, houseID: ids[$0]) }, thing: { made.thing($0) }), days: shiftDays)
  }
}
