// The store on one screen.

import Control
import EventLoop

func render(_ store: StoreDocument, now: WallTime, _ style: Style) -> String {
  let percent = store.limitBytes > 0 ? store.usedBytes * 100 / store.limitBytes : 0
  var text = line(
    "store  \(size(store.usedBytes)) of \(size(store.limitBytes)) (\(percent) %)   \(counted(store.samples, "sample"))   \(counted(store.wearables, "wearable"))")
  if let oldest = store.oldest, let newest = store.newest {
    text += line("range  \(oldest) to \(newest)   oldest \(age(oldest, now).map(span) ?? "?")")
  } else {
    text += line("range  empty")
  }
  if store.daemon {
    let last = age(store.lastCommit, now).map { "last \(span($0)) ago" } ?? "none yet"
    text += line("commit \(last)   \(counted(store.commits, "commit")), \(grouped(store.failedCommits)) failed")
    text += line("memory \(counted(store.pendingSamples, "sample")) (\(size(store.pendingBytes))) wait for the next commit")
  }
  if let written = store.bytesWrittenToday { text += line("card   \(size(Int(clamping: written))) written today") }
  if store.evictedSamples > 0 {
    let range = store.evictedFrom.flatMap { from in store.evictedTo.map { " of \(from) to \($0)" } } ?? ""
    text += line("evicted \(counted(store.evictedSamples, "sample"))\(range)")
  }
  if store.droppedSamples > 0 { text += line("lost   \(counted(store.droppedSamples, "sample")) that the disk did not take") }
  if store.corruptChunks > 0 { text += line("damage \(counted(store.corruptChunks, "chunk")) with a wrong checksum, not served") }
  if store.corruptRecords > 0 { text += line("damage \(counted(store.corruptRecords, "record")) of wearables with a wrong checksum") }
  text += "path   \(harmless(store.path, limit: 1024))\n"
  if let reason = store.reason { text += style.attention(String(render(reason).dropLast())) + "\n" }
  return text
}

/// Damage and losses are worth a look.
func needsAttention(_ store: StoreDocument) -> Bool {
  store.reason != nil || store.droppedSamples > 0 || store.corruptChunks > 0 || store.corruptRecords > 0
}
