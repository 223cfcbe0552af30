// Facts about the wearer, which the wearable's own algorithms need.

import CivilTime
import EventLoop
import Health
import PolarMessages
import Wearable

/// Physical data and first use, checked in each visit and read back after each change.
///
/// First use is physical data, then an identifier that marks it as done (polar-ble-sdk 8.0.0, first-time use; Android's
/// order). Before that, bands record neither activity nor sleep. If a wearable has physical data, the hub writes the
/// facts that it knows of the wearer, each with the time of its change. Facts that were not entered stay while the same
/// person wears it, even those from a rule of thumb. Earlier values are restored (`PolarBodyNote`) for another wearer,
/// and without one if the last wearer asked for that. An unreadable file is never overwritten.
@LoopActor
final class PolarWearer {
  enum State: Hashable {
    /// Case in which no wearer is known, or the model needs no facts.
    case nobody
    /// Required facts that were not entered, and that the wearable does not have.
    case incomplete([String])
    /// Facts as ordered; `isNew` if it was written in this visit.
    case kept(isNew: Bool)
    /// The wearable does not have the known facts yet.
    case differs
    case refused(String)

    /// Text for messages to people.
    var text: String {
      switch self {
      case .nobody: "nobody"
      case .incomplete(let parts): "not known: \(parts.joined(separator: ", "))"
      case .kept: "kept"
      case .differs: "not written yet"
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

  /// Models with activity data compute it from physical data; others have no file for them.
  var isWanted: Bool { Polar.measuresDays(link.known.polarModel) == true }

  /// The present content of the files.
  private struct Found {
    /// nil if the file does not exist yet.
    var data: PhysicalFile?
    var user: UserIdentifierFile
  }

  /// Reads the files, and writes facts that differ from the known ones. Only within a sync.
  func keep() async throws(VisitTrouble) {
    guard isWanted, let wearer = next else {
      state = .nobody
      return
    }
    do throws(VisitTrouble) {
      let found = try await read()
      let body = try target(wearer, found)
      state = Self.state(of: found, body)
      if state == .differs {
        // Stored before the write, so that after an interruption the hub knows which wearer's data may be on it.
        try note { $0.writing = wearer.number }
        state = try await write(body, over: found)
      }
      if wearer.number == 0, case .incomplete = state { state = .nobody }
      if case .refused = state { return }
      try note { ($0.wearer, $0.writing) = (wearer.number, nil) }
    } catch {
      guard let why = error.refusal else { throw error }
      state = .refused(why)
    }
  }

  private func note(_ change: (inout PolarBodyNote) -> Void) throws(VisitTrouble) {
    let before = link.remembered(PolarBodyNote.self)
    var note = before ?? PolarBodyNote()
    change(&note)
    if note != before { try link.remember(note) }
  }

  /// The wearer to write; number 0 if the wearable is taken off; nil to leave its data unchanged.
  private var next: WearerBody? {
    if let wearer = link.orders.wearer { return wearer }
    guard link.orders.takeOff != nil, let note = link.remembered(PolarBodyNote.self), note.hasSomebodys else {
      return nil
    }
    return WearerBody(number: 0)
  }

  /// Facts that the hub knows or restores.
  private struct Target {
    let facts: BodyFacts
    /// Facts with their values; nil for those that the wearable decides again.
    var parts: [PhysicalPart: PhysicalValue?]
  }

  /// The earlier values are stored before any of them is overwritten.
  private func target(_ wearer: WearerBody, _ found: Found) throws(VisitTrouble) -> Target {
    let told = wearer.facts.physicalParts
    var target = Target(facts: wearer.facts, parts: told.mapValues { $0 })
    guard let note = link.remembered(PolarBodyNote.self) else {
      var note = PolarBodyNote()
      // Facts that already equal the known ones were written by this hub, before it stored such a note.
      note.before = (found.data?.values ?? [:]).filter { told[$0.key] != $0.value }
      try link.remember(note)
      return target
    }
    guard note.hasAnothers(than: wearer.number), found.data != nil else { return target }
    target.parts.merge(note.others(told, wearer.facts, today: link.today)) { known, _ in known }
    return target
  }

  /// Facts that were not entered, and that are defaults.
  func assumed(_ data: PhysicalFile) -> [PhysicalPart] {
    guard let note = link.remembered(PolarBodyNote.self), note.wearer != nil else { return [] }
    let facts = link.orders.wearer?.facts ?? BodyFacts()
    let (told, today) = (facts.physicalParts, link.today)
    return PhysicalPart.allCases.filter { part in
      told[part] == nil && note.before[part] == nil && data.values[part] != nil
        && data.values[part] == note.own(part, facts, today: today)
    }
  }

  /// Reads the files without changing them: their content if readable, and whether it is as it should be.
  func look() async throws(VisitTrouble) -> (state: State, data: PhysicalFile?, isFirstUseDone: Bool?) {
    do throws(VisitTrouble) {
      let found = try await read()
      let state = link.orders.wearer.map { wearer in
        Self.state(of: found, Target(facts: wearer.facts, parts: wearer.facts.physicalParts.mapValues { $0 }))
      }
      return (state ?? .nobody, found.data, found.user.isFirstUseDone)
    } catch {
      guard let why = error.refusal else { throw error }
      return (.refused(why), nil, nil)
    }
  }

  private static func state(of found: Found, _ body: Target) -> State {
    let missing = (found.data?.missing ?? PhysicalPart.required).filter { (body.parts[$0] ?? nil) == nil }
    if let data = found.data, body.parts.contains(where: { data.values[$0.key] != $0.value }) { return .differs }
    if !missing.isEmpty { return .incomplete(missing.map(\.name)) }
    return found.data != nil && found.user.isFirstUseDone ? .kept(isNew: false) : .differs
  }

  /// - Throws: `unsupported` for an unreadable file.
  private func read() async throws(VisitTrouble) -> Found {
    Found(data: try await physicalData(), user: try await userIdentifier())
  }

  /// nil before first use.
  private func physicalData() async throws(VisitTrouble) -> PhysicalFile? {
    guard let bytes = try await transfer.get(PolarFile.physicalDataPath), !bytes.isEmpty else { return nil }
    do throws(MalformedMessage) { return try PhysicalFile(bytes) } catch {
      throw .unsupported("its physical data cannot be read and stay as they are")
    }
  }

  private func userIdentifier() async throws(VisitTrouble) -> UserIdentifierFile {
    let bytes = try await transfer.get(PolarFile.userIdentifierPath)
    do throws(MalformedMessage) { return try UserIdentifierFile(bytes) } catch {
      throw .unsupported("its user identifier cannot be read and stays as it is")
    }
  }

  /// Writes the known facts, and reads back whether they and all others are as expected.
  private func write(_ body: Target, over found: Found) async throws(VisitTrouble) -> State {
    let seconds = link.hubTime.wall.microseconds / 1_000_000
    let data = try Self.changed(found.data, body, at: seconds, link.zone)
    if data != found.data { try await transfer.put(PolarFile.physicalDataPath, data.bytes) }
    if data.missing.isEmpty, !found.user.isFirstUseDone {
      guard let user = try? found.user.done(at: seconds) else {
        throw .unsupported("its user identifier cannot be read and stays as it is")
      }
      try await transfer.put(PolarFile.userIdentifierPath, user)
    }
    let now = try await read()
    // A fact that was left to the wearable may get a new value.
    let left = Set(body.parts.filter { $0.value == nil }.map(\.key))
    let lost = PhysicalPart.allCases.filter { !left.contains($0) && now.data?.values[$0] != data.values[$0] }
    if now.data == nil || lost.contains(where: { body.parts[$0] != nil }) {
      return .refused("it does not keep what was written")
    }
    if let part = lost.first {
      return .refused(
        """
        its \(part.name) changed as well, from \(data.values[part]?.text ?? "none") to \
        \(now.data?.values[part]?.text ?? "none")
        """
      )
    }
    if !data.missing.isEmpty { return .incomplete(data.missing.map(\.name)) }
    return now.user.isFirstUseDone ? .kept(isNew: true) : .refused("it does not keep what was written")
  }

  private static func changed(
    _ file: PhysicalFile?, _ body: Target, at seconds: Int64, _ zone: TimeZoneRules
  ) throws(VisitTrouble) -> PhysicalFile {
    do throws(MalformedMessage) {
      if var file {
        try file.change(body.parts.compactMapValues { $0 }, at: seconds)
        for (part, value) in body.parts where value == nil { try file.leave(part, at: seconds) }
        return file
      }
      // First use writes the whole file. Birthdays are in local time.
      guard let data = PhysicalData(body.facts, today: zone.date(of: seconds * 1_000_000)) else {
        throw MalformedMessage()
      }
      let message: PbUserPhysData
      do throws(PhysicalData.Part) { message = try data.message(at: seconds) } catch { throw MalformedMessage() }
      return try PhysicalFile(message.wire())
    } catch { throw .unsupported("what is known of its wearer is out of its range") }
  }
}

extension BodyFacts {
  /// The facts as a wearable stores them; facts that were not entered are missing.
  var physicalParts: [PhysicalPart: PhysicalValue] {
    var parts: [PhysicalPart: PhysicalValue] = [:]
    func number(_ part: PhysicalPart, _ value: Int?) { parts[part] = value.map { .number(UInt64(clamping: $0)) } }
    parts[.birthDate] = born.map { .date($0) }
    number(.sex, sex.map { Int($0.rawValue) })
    parts[.height] = height.map { .measure($0) }
    parts[.weight] = weight.map { .measure($0) }
    number(.maximumHeartRate, maximumHeartRate)
    number(.restingHeartRate, restingHeartRate)
    number(.vo2Max, vo2Max)
    number(.trainingBackground, trainingBackground.map { Int($0.rawValue) })
    number(.typicalDay, typicalDay.map { Int($0.rawValue) })
    number(.sleepGoal, sleepGoal)
    return parts
  }
}

extension PhysicalData {
  /// The initial rule of thumb of the vendor's own applications, within the range that a wearable accepts.
  static func highestHeartRate(atAge age: Int) -> Int { min(max(220 - age, 100), 240) }

  /// Facts for first use, with defaults for all that is unknown. nil if a fact without a default is missing.
  init?(_ body: BodyFacts, today: LocalDate) {
    guard let born = body.born, let sex = body.sex, let height = body.height, let weight = body.weight else {
      return nil
    }
    let highest = body.maximumHeartRate ?? Self.highestHeartRate(atAge: born.age(on: today))
    self.init(
      birthday: born, gender: sex == .male ? .male : .female, weight: Float(weight), height: Float(height),
      maximumHeartRate: UInt32(clamping: highest),
      restingHeartRate: UInt32(clamping: body.restingHeartRate ?? 60), vo2Max: body.vo2Max.map { UInt32(clamping: $0) },
      trainingBackground: body.trainingBackground.flatMap {
        PbUserTrainingBackground.TrainingBackground(rawValue: Int($0.rawValue))
      } ?? .occasional,
      typicalDay: body.typicalDay.flatMap { PbUserTypicalDay.TypicalDay(rawValue: Int($0.rawValue)) } ?? .mostlySitting,
      sleepGoal: body.sleepGoal.map { UInt32(clamping: $0) })
  }
}
