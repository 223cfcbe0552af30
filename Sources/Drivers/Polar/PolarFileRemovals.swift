// Removal of stored files: the calls, day by day, and a check that the files have not changed since they were listed.

import CivilTime
import EventLoop
import Health
import Wearable

extension PolarFiles {
  func removals(of items: [HeldItem]) -> [Removal] { calls(of: items).map { call in call.removal } }

  /// Each day first as a whole, then its files one by one. The latter serve days with files that must stay, and
  /// wearables that do not remove folders.
  private func calls(of items: [HeldItem]) -> [(call: RemovalCall, removal: Removal)] {
    guard let today else { return [] }
    let listed = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
    let rules = RemovalRules(today: today, growing: growingFolders) { file in
      listed[file.path].map { $0.size == Int(clamping: file.size) } ?? false
    }
    let ofFolders = RemovalRules(today: emptyBefore(today), growing: rules.growing, isStored: rules.isStored)
    var calls = RemovalPlan.dayFolders(tree, ofFolders) + RemovalPlan.trainingSessions(tree, rules)
    calls +=
      DayKind.allCases.flatMap { RemovalPlan.files(of: $0, tree, rules) } + RemovalPlan.automaticSamples(samples, rules)
    calls += tree.files.filter {
      PMD.RecordingName(path: $0.path) != nil && rules.isStored($0) && rules.isAtRest($0.path)
    }
    .map { RemovalCall(path: $0.path, covers: [$0], clearsParents: true) }
    for index in calls.indices where PolarPath.day(of: calls[index].path).map({ !ofFolders.isFinal($0, "") }) ?? false {
      calls[index].clearsParents = false
    }
    return calls.sorted { $0.path < $1.path }.compactMap { call in call.removal(of: listed).map { (call, $0) } }
  }

  /// Folders of this day and later ones are kept. A recording that begins in the meantime lies in today's folder, and
  /// has a file only minutes later. A recording that ran when this visit began may lie in yesterday's.
  private func emptyBefore(_ today: LocalDate) -> LocalDate {
    growing.isEmpty ? today : LocalDate(dayNumber: today.dayNumber - 1)
  }

  /// Removes empty folders of past days. When their last files were removed the day was not over, so the folders were
  /// kept.
  func removeEmptyFolders() async throws(VisitTrouble) {
    guard let today else { return }
    for folder in RemovalPlan.emptyFolders(tree, before: emptyBefore(today)).prefix(Self.emptyLimit) {
      try await transfer.removeEmptyDirectories(from: folder)
    }
  }

  /// Maximum number of empty folders that one visit removes: each takes some requests at its end.
  private static let emptyLimit = 8

  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    guard
      let call = calls(of: proof.removal.covers).first(where: {
        $0.call.path == proof.removal.name && $0.removal.covers.count == proof.removal.covers.count
      })?.call
    else { return .notNow("it was not planned") }
    // Files that appeared or grew since the listing are not stored.
    guard try await isUnchanged(call) else { return .notNow("\(call.path) changed since it was listed") }
    return try await transfer.remove(call)
  }

  private func isUnchanged(_ call: RemovalCall) async throws(VisitTrouble) -> Bool {
    let covered = Set(call.covers)
    guard covered != [PSFTP.RemoteFile(path: call.path, size: call.covers.first?.size ?? 0)] else {
      guard let parent = PolarPath.parent(call.path), let directory = try await transfer.list(parent) else {
        return true
      }
      return directory.entries.allSatisfy {
        parent + $0.name != call.path || covered.contains(PSFTP.RemoteFile(path: call.path, size: $0.size))
      }
    }
    let now = try await transfer.walk(call.path.hasSuffix("/") ? call.path : call.path + "/")
    return now.unseenIn.isEmpty && now.files.allSatisfy { covered.contains($0) }
  }
}
