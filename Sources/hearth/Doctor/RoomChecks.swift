// Check of free space for the largest store, and of the store's own bound.

import HubProtocol
import Reasons

enum RoomChecks {
  static func findings(_ patient: Patient) -> [Finding] { [room(patient), store(patient)] }

  /// Bytes below which a file system counts as full. LMDB grows its file in steps, and the journal and system updates
  /// need space too.
  static let least = 16 << 20
  /// Bytes that are enough if the future size of the store is unknown.
  static let spare = 200 << 20

  private static func room(_ patient: Patient) -> Finding {
    guard let room = patient.machine.room(patient.machine.root + patient.storePath), room.total > 0 else {
      return .unknown("room", "the file system of \(patient.storePath) may not be looked at")
    }
    let store = patient.hub.status?.store
    let wanted = store.map { max(0, $0.limitBytes - $0.fileBytes) }
    let percent = whole(Double(room.free) * 100 / Double(room.total))
    let figures = [
      figure("free_bytes", room.free), figure("total_bytes", room.total), figure("free_percent", percent),
      figure("store_may_grow_bytes", wanted),
    ]
    let words = "\(size(room.free)) of \(size(room.total)) free"
    let look = ["df -h \(shellWord(patient.storePath))", "sudo du -xh --max-depth=2 / | sort -h | tail -n 20"]
    if room.free < least {
      return Finding(
        "room", .fail, words, figures, code: Reason.storeFull.code, fix: Fix("free space; see what uses it", look))
    }
    if let wanted, room.free < wanted {
      return Finding(
        "room", .warn, "\(words), and the store may still take \(size(wanted))", figures,
        fix: Fix("free space, or lower store.size and restart hearthd; see what uses it", look))
    }
    if wanted == nil, room.free < spare {
      return Finding("room", .warn, words, figures, fix: Fix("free space; see what uses it", look))
    }
    let grows = wanted.map { ", the store may still take \(size($0))" } ?? ""
    return Finding("room", .ok, words + grows, figures)
  }

  private static func store(_ patient: Patient) -> Finding {
    guard let store = patient.hub.status?.store else {
      return .unknown("store", "only a hub that runs knows how full it is", [], fix: Fix("read it", ["hearth store"]))
    }
    let percent = store.limitBytes > 0 ? whole(Double(store.usedBytes) * 100 / Double(store.limitBytes)) : 0
    let figures = [
      figure("used_bytes", store.usedBytes), figure("limit_bytes", store.limitBytes), figure("used_percent", percent),
      figure("oldest", store.oldest), figure("unexported", store.unexported),
      figure("evicted_unexported", store.evictedUnexported),
    ]
    let oldest = age(store.oldest, patient.machine.now).map { ", oldest \(shortSpan($0))" } ?? ""
    let words = "\(size(store.usedBytes)) of \(size(store.limitBytes)) used (\(percent) %)\(oldest)"
    if let trouble = store.reason {
      let isLoss = [Reason.storeFailing, .storeFull, .storeInputOutput].contains { $0.code == trouble.code }
      return Finding(
        "store", isLoss ? .fail : .warn, "\(words); \(trouble.sentence)", figures, code: trouble.code, fix: Fix(trouble)
      )
    }
    return Finding("store", .ok, words, figures)
  }
}
