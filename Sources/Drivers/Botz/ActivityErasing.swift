// Erasing of an insole's activity files: whether it is allowed, and whether it succeeded.

import Bluetooth
import EventLoop
import Wearable

extension ActivityDomain {
  /// Time in which the insole erases.
  static let eraseTime: Duration = .seconds(5)

  /// A single file cannot be deleted on this firmware: the only call erases all files.
  func removals(of items: [HeldItem]) -> [Removal] {
    let canErase = insole.link.database.characteristic(Botz.Control.eraseFlash, in: Botz.Control.service) != nil
    return items.isEmpty || isIncomplete || !canErase
      ? [] : [Removal(name: "all activity files", covers: items, isOncePerBoot: true)]
  }

  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    if hasErased { return .ineffective("it erases once between two restarts") }
    let covers = proof.removal.covers
    var covered: [Botz.FileNumber: (size: Int, first: HeldItem)] = [:]
    for item in covers {
      guard let place = ActivityPlace(id: item.id), let size = item.size, !item.isOpen else {
        return .notNow("\(item.id) is not known well enough")
      }
      let end = max(place.base + size, covered[place.number]?.size ?? 0)
      covered[place.number] = (end, place.base == 0 ? item : covered[place.number]?.first ?? item)
    }
    if let reason = try await inTheWay() { return .notNow(reason) }
    // All possible numbers are checked, since an unfetched file would be erased with the rest.
    var highest: Botz.FileNumber?
    for number in Botz.FileNumber.all {
      guard let size = try await inquiry.size(of: number), size > 0 else { continue }
      guard covered[number]?.size == size else { return .notNow("\(number.name) is not what was fetched") }
      highest = number
    }
    guard let highest, let last = covered[highest] else { return .erased }
    guard let place = ActivityPlace(id: last.first.id), let size = last.first.size, place.base == 0,
      try await mark(of: place, size: size) == last.first.mark
    else { return .notNow("\(highest.name) is not what was fetched") }
    // After the last number comes the first one again.
    guard let next = Botz.FileNumber(Int(highest.value) % 255 + 1) else { return .notNow("no number is next") }
    return try await erase(highest, next: next, holds: covered[next]?.size ?? 0)
  }

  var mayHaveRemoved: Bool { hasErased }

  /// Reason why the insole must not get the order to erase now.
  private func inTheWay() async throws(VisitTrouble) -> String? {
    let activity = try await insole.readStatus().activity
    return activity == .idle ? nil : "it is \(activity.name)"
  }

  /// - Parameter next: number of the next session, and how many bytes it `holds` before that.
  private func erase(_ highest: Botz.FileNumber, next: Botz.FileNumber, holds bytes: Int) async throws(VisitTrouble)
    -> RemovalOutcome
  {
    _ = try await channel.ask(.close)
    // Checked last, because reading 255 numbers takes long enough for a whole session. A finished session has left its
    // file, and one that has just begun shows in the status. A session that begins while the answer is in transit
    // cannot be detected.
    var obstacle: String?
    do throws(VisitTrouble) {
      try await insole.command(.eraseFlash) { () throws(VisitTrouble) in
        if try await inquiry.size(of: next) ?? 0 != bytes {
          obstacle = "\(next.name) has come meanwhile"
        } else {
          obstacle = try await inTheWay()
        }
        if let obstacle { throw .busy(what: obstacle, retryAfter: nil) }
        hasErased = true
      }
    } catch {
      if let obstacle { return .notNow(obstacle) }
      guard case .refused(let code, _) = error else { throw error }
      hasErased = false
      return .notNow("it refused: \(code)")
    }
    for _ in 0..<2 {
      try await insole.link.settle(for: Self.eraseTime)
      if try await inquiry.size(of: highest) == nil { return .erased }
    }
    return .ineffective("acknowledged, but \(highest.name) is still there: it takes one erase between two restarts")
  }
}
