// Changes of assignments: added, corrected, deleted; and the changes that each makes to stored samples.

import CivilTime
public import EventLoop
internal import Reasons

/// A correction of an assignment.
public enum AssignmentEdit: Sendable, Hashable {
  /// Changes its begin, its wearer, or both.
  case correct(from: WallTime?, NewWearer)
  /// Removes the assignment: its time belongs to the assignment before it.
  case delete

  /// Wearer after a correction.
  public enum NewWearer: Sendable, Hashable {
    case same
    /// nil for no wearer.
    case changed(WearerID?)
  }
}

extension RegistryKeeper {
  /// See `Store.assign`.
  func assign(_ wearable: WearableID, to wearer: WearerID?, from time: WallTime) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    try refuseUnknown(wearable)
    try refuseUnfit(wearer, at: time)
    let old = people.assignment(of: wearable, from: time)
    if let old, old.wearer == wearer { return }
    if old == nil, people.assignments.count >= Assignments.limit {
      throw HearthError(.storeTableFull, "\(people.assignments.count) assignments are kept")
    }
    let new = Assignment(wearable: wearable, from: time, wearer: wearer, enteredAt: disk.loop.wall)
    try await apply(AssignmentChange(people.assignments(of: wearable), removing: nil, putting: new), to: wearable)
  }

  /// See `Store.edit`.
  func edit(_ wearable: WearableID, from time: WallTime, _ edit: AssignmentEdit) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    guard let change = try change(wearable, from: time, edit) else { return }
    try await apply(change, to: wearable)
  }

  /// See `Store.assignments`.
  func assignments(of wearable: WearableID) -> [Assignment] { people.assignments(of: wearable) }

  /// See `Store.wearer`.
  func wearer(of wearable: WearableID, at time: WallTime) -> WearerID? { people.wearer(of: wearable, at: time) }

  /// The change of a wearable's assignments; nil if they stay the same.
  private func change(_ wearable: WearableID, from time: WallTime, _ edit: AssignmentEdit) throws(HearthError)
    -> AssignmentChange?
  {
    try refuseUnknown(wearable)
    let all = people.assignments(of: wearable)
    // People read times to the second.
    let second = time + .seconds(1)
    guard let old = all.first(where: { $0.from == time }) ?? all.first(where: { $0.from > time && $0.from < second })
    else {
      throw HearthError(
        .noSuchAssignment, "\(record(wearable)?.name ?? "it") has no assignment that begins at \(time.rfc3339)")
    }
    guard case .correct(let newTime, let newWearer) = edit else {
      return AssignmentChange(all, removing: old, putting: nil)
    }
    let from = newTime ?? old.from
    let wearer = if case .changed(let other) = newWearer { other } else { old.wearer }
    if from == old.from, wearer == old.wearer { return nil }
    try refuseUnfit(wearer, at: from)
    // Of two assignments that begin in the same second, people could name only the first.
    if from != old.from, all.contains(where: { $0.from != old.from && $0.from.isWithinSecond(of: from) }) {
      throw HearthError(.assignmentTaken, "another assignment begins at \(from.rfc3339)")
    }
    return AssignmentChange(
      all, removing: from == old.from ? nil : old,
      putting: Assignment(wearable: wearable, from: from, wearer: wearer, enteredAt: disk.loop.wall))
  }

  private func refuseUnknown(_ wearable: WearableID) throws(HearthError) {
    if record(wearable) == nil {
      throw HearthError(.noSuchWearable, "no wearable with number \(wearable.number) is known")
    }
  }

  private func refuseUnfit(_ wearer: WearerID?, at time: WallTime) throws(HearthError) {
    guard let wearer else { return }
    guard let known = self.wearer(wearer) else {
      throw HearthError(.noSuchWearer, "no wearer has the number \(wearer.number)")
    }
    if let retired = known.retiredAt, time >= retired {
      throw HearthError(.noSuchWearer, "'\(known.name)' was retired before that")
    }
  }

  /// Changes the disk, then memory, and makes the corrections of stored samples. The caller has the registry's turn.
  private func apply(_ change: AssignmentChange, to wearable: WearableID) async throws(HearthError) {
    let now = disk.loop.wall
    let spans = change.spans(until: now)
    try await disk.change(pages: 6 + Corrections.pages(spans.count)) { transaction throws(DatabaseFailure) in
      if let old = change.removed { try transaction.delete(transaction.tables.assignments, old.key) }
      if let new = change.put { try Assignments.put(transaction, new) }
      try Corrections.add(transaction, spans, wearable: wearable, at: now)
    }
    if let old = change.removed { content.people.remove(old) }
    if let new = change.put { content.people.note(new) }
  }

  /// The changes that an edit makes to stored samples.
  func spans(_ wearable: WearableID, from time: WallTime, _ edit: AssignmentEdit) throws(HearthError) -> [CorrectedSpan]
  {
    try change(wearable, from: time, edit)?.spans(until: disk.loop.wall) ?? []
  }
}

/// Assignments of one wearable before and after a change.
private struct AssignmentChange: Sendable {
  let removed: Assignment?
  let put: Assignment?
  private let before: [Assignment]
  private let after: [Assignment]

  init(_ before: [Assignment], removing removed: Assignment?, putting put: Assignment?) {
    var after = before.filter { $0.from != removed?.from && $0.from != put?.from }
    if let put { after.append(put) }
    (self.removed, self.put, self.before) = (removed, put, before)
    self.after = after.sorted { $0.from < $1.from }
  }

  func spans(until now: WallTime) -> [CorrectedSpan] { CorrectedSpan.between(before, after, until: now) }
}

extension WallTime {
  /// Whether both times are in the same second.
  fileprivate func isWithinSecond(of other: WallTime) -> Bool {
    floorDivide(microseconds, 1_000_000) == floorDivide(other.microseconds, 1_000_000)
  }
}
