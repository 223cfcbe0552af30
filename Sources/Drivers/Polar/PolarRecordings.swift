// The recordings on a wearable, and which of them have ended.

import Bluetooth
import EventLoop
import Wearable

extension PolarFiles {
  /// The recordings of the wearable's index, or of a walk if it has no index.
  func recordings() async throws(VisitTrouble) -> [PMD.RecordingEntry] {
    if let index = try await index(), let entries = index.withUnsafeBytes({ PMD.RecordingEntry.all(index: $0) }) {
      return entries
    }
    let tree = try await transfer.walk(PMD.recordingRoot) { name, directory in
      name.hasSuffix("/") ? PMD.mayHoldRecordings(folder: directory + name) : name.hasSuffix(".REC")
    }
    return PMD.RecordingEntry.all(of: tree.files.lazy.map { ($0.path, $0.size) })
  }

  /// nil if there is no index, or the wearable refuses it.
  private func index() async throws(VisitTrouble) -> [UInt8]? {
    do throws(VisitTrouble) { return try await transfer.get(PMD.recordingIndex) } catch {
      guard case .unsupported(let why) = error else { throw error }
      link.note(why)
      return nil
    }
  }

  /// Longest time from the stored start of a recording to the second in its folder's name, µs: the wearable first
  /// writes a file of settings.
  private static let startTime: Int64 = 300_000_000

  /// Files of recordings that have ended.
  var recordingsAtRest: Set<String> {
    let entries = PMD.RecordingEntry.all(of: tree.files.lazy.map { ($0.path, $0.size) })
    let atRest = entries.filter { entry in
      if growing[entry.type] != nil {
        if ended.contains(entry.path) { return true }
        // If the clock was set back since, it shows an earlier time than older files have.
        if let begun = begun[entry.type], begun <= entry.begins,
          entry.begins.subtractingReportingOverflow(begun).partialValue <= Self.startTime
        {
          return false
        }
      }
      return switch growing[entry.type] {
      case nil: true
      case .since(let time):
        entry.begins < time || entry.begins.subtractingReportingOverflow(time).partialValue > Growing.longestVisit
      case .newest(let now?):
        entry.begins <= now
          ? entry != entries.last { $0.type == entry.type && $0.begins <= now }
          : Growing.isOfEarlierClock(entry.begins, now: now) || isNamedAhead(entry, now)
      case .newest(nil): false
      }
    }
    return Set(atRest.flatMap { $0.parts.map(\.path) })
  }

  /// Whether it began and ended before an earlier visit set the clock back. That visit failed before its files.
  private func isNamedAhead(_ entry: PMD.RecordingEntry, _ now: Int64) -> Bool {
    guard let setBackFrom, let namedAhead, !namedAhead.contains(entry.type) else { return false }
    return now < entry.begins && entry.begins <= setBackFrom
  }

  /// The header of a recording; nil if it cannot be read, or not without its key.
  func head(of path: String) async throws(VisitTrouble) -> PMD.Recording? {
    guard let message = PSFTP.Message.request(.get, path) else { return nil }
    let head = PolarFileHead()
    _ = try await transfer.perform(message, into: head)
    return head.bytes.withUnsafeBytes { try? PMD.Recording($0, secret: link.orders.polarSecret) }
  }

  /// Folders with recordings that are being written.
  var growingFolders: [String] {
    let atRest = recordingsAtRest
    return tree.files.filter { PMD.RecordingName(path: $0.path) != nil && !atRest.contains($0.path) }.compactMap {
      PolarPath.parent($0.path)
    }
  }
}

/// Receives the beginning of a file, then stops the transfer.
private final class PolarFileHead: PSFTPReceiver {
  /// Bytes: the header of a recording has at most 592.
  private static let size = 600
  private(set) var bytes: [UInt8] = []

  func begin() { bytes = [] }

  func take(_ payload: ArraySlice<UInt8>) -> Taking {
    bytes += payload
    return bytes.count >= Self.size ? .enough : .more
  }

  func end() -> Taking { .more }
}
