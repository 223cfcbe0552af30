// Whose wearable it is, as far as its own algorithms have to know.

import EventLoop
import Health
import PolarMessages
import Wearable

/// Physical data and first use: written when the wearer changes, read back at each visit.
///
/// First use is physical data, then an identifier that marks it as done (polar-ble-sdk 8.0.0, first-time use; Android's order). Bands record neither activity
/// nor sleep before that.
@LoopActor
final class PolarWearer {
  enum State: Hashable {
    /// Nobody known wears it, or it wants to know nothing.
    case nobody
    /// Parts that nobody entered.
    case incomplete([String])
    /// As it should be; written in this visit.
    case kept(isNew: Bool)
    case refused(String)

    /// For people.
    var text: String {
      switch self {
      case .nobody: "nobody"
      case .incomplete(let parts): "not known: \(parts.joined(separator: ", "))"
      case .kept: "kept"
      case .refused(let why): why
      }
    }
  }

  private let transfer: PSFTPClient
  private let link: any WearableLink
  private(set) var state = State.nobody

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  /// Models with activity data compute it from physical data; the others have no place for it.
  var isWanted: Bool { Polar.ModelTable.known.facts(link.known.polarModel).hasActivityData }

  /// What should be on it; nil where nothing can be said of that.
  private var wanted: PhysicalData? {
    guard isWanted, let body = link.orders.wearer?.facts else { return nil }
    return PhysicalData(body, today: CivilTime(microseconds: link.hubTime.wall.microseconds).date)
  }

  /// Reads, and writes where it is another wearer's. Within a sync.
  func keep() async throws(VisitTrouble) {
    do throws(VisitTrouble) {
      state = try await look()
      guard case .refused = state, let wanted else { return }
      try await write(wanted)
      state = try await isRight(wanted) ? .kept(isNew: true) : .refused("it does not keep what was written")
    } catch {
      guard let why = error.refusal else { throw error }
      state = .refused(why)
    }
  }

  /// Reads only.
  func look() async throws(VisitTrouble) -> State {
    guard isWanted, let body = link.orders.wearer?.facts else { return .nobody }
    guard let wanted else { return .incomplete(body.missing) }
    return try await isRight(wanted) ? .kept(isNew: false) : .refused("it was not told yet")
  }

  private func isRight(_ wanted: PhysicalData) async throws(VisitTrouble) -> Bool {
    guard try await isFirstUseDone(), let kept = try await physicalData() else { return false }
    return wanted.isSame(as: kept)
  }

  /// nil while nobody told it any.
  func physicalData() async throws(VisitTrouble) -> PbUserPhysData? {
    guard let bytes = try await transfer.get(PolarFile.physicalDataPath) else { return nil }
    // What cannot be read is written anew.
    return try? PbUserPhysData(wire: bytes)
  }

  func isFirstUseDone() async throws(VisitTrouble) -> Bool {
    guard let bytes = try await transfer.get(PolarFile.userIdentifierPath) else { return false }
    return (try? PbUserIdentifier(wire: bytes))?.isFirstUseDone ?? false
  }

  private func write(_ wanted: PhysicalData) async throws(VisitTrouble) {
    let seconds = link.hubTime.wall.microseconds / 1_000_000
    let data: [UInt8]
    let user: [UInt8]
    do throws(PhysicalData.Part) {
      let message = try wanted.message(at: seconds)
      guard let bytes = try? message.wire(), let identifier = try? PbUserIdentifier(firstUse: seconds).wire() else { return }
      (data, user) = (bytes, identifier)
    } catch { throw .unsupported("\(error.rawValue) is out of its range") }
    try await transfer.put(PolarFile.physicalDataPath, data)
    if try await !isFirstUseDone() { try await transfer.put(PolarFile.userIdentifierPath, user) }
  }
}

extension BodyFacts {
  /// What a wearable cannot do without; heart rates follow from the age where they are not known.
  var missing: [String] {
    [("birth date", born == nil), ("sex", sex == nil), ("height", height == nil), ("weight", weight == nil)].filter(\.1).map(\.0)
  }
}

extension PhysicalData {
  /// nil where something is missing.
  init?(_ body: BodyFacts, today: LocalDate) {
    guard let born = body.born, let sex = body.sex, let height = body.height, let weight = body.weight else { return nil }
    let hadBirthday = (today.month, today.day) >= (born.month, born.day)
    let age = today.year - born.year - (hadBirthday ? 0 : 1)
    // The rule of thumb that the vendor's own applications begin with.
    let highest = body.maximumHeartRate ?? min(max(220 - age, 100), 240)
    self.init(
      birthday: born, gender: sex == .male ? .male : .female, weight: Float(weight), height: Float(height), maximumHeartRate: UInt32(clamping: highest),
      restingHeartRate: UInt32(clamping: body.restingHeartRate ?? 60))
  }

  /// In every part that a wearer has.
  func isSame(as kept: PbUserPhysData) -> Bool {
    CivilTime.date(kept.birthday.value) == birthday && kept.gender.value == gender && kept.weight.value == weight && kept.height.value == height
      && kept.maximumHeartrate.value == maximumHeartRate && kept.restingHeartrate.value == restingHeartRate
  }
}
