// Writes of wearables' records in the background, gathered into few transactions.

import EventLoop
import Reasons
import RingStore

/// Writes records of enrolled wearables: at once, or with the next ones within a time.
///
/// Promises:
/// - All records that wait are written in one transaction.
/// - Each wearable's writes run one after another, each with all earlier changes.
/// - A record that the store refuses stops no other one.
@LoopActor
final class RecordWriter {
  private let context: HubContext
  /// Knows which wearables are still enrolled.
  weak var registry: Registry?
  /// Wearables with changes that are not written yet.
  private var waiting: [EnrolledWearable] = []
  /// Latest time for these.
  private var due: (at: Instant, timer: LoopTimer)?
  /// Writes that are under way.
  private var writes: [UInt64: Task<Void, Never>] = [:]
  private var nextWrite: UInt64 = 0

  init(_ context: HubContext) { self.context = context }

  /// Writes the record in the background, with all others that wait.
  ///
  /// - Parameter delay: longest wait for other writes. A kill within it loses the change.
  func write(_ wearable: EnrolledWearable, within delay: Duration) {
    if !waiting.contains(where: { $0 === wearable }) { waiting.append(wearable) }
    if delay == .zero { return begin() }
    let latest = context.loop.now + delay
    if let due {
      if due.at <= latest { return }
      context.loop.cancel(due.timer)
    }
    due = (latest, context.loop.schedule(at: latest) { [weak self] in self?.begin() })
  }

  /// Waits until nothing waits.
  func settle() async {
    if !waiting.isEmpty { begin() }
    while let (number, write) = writes.first {
      await write.value
      writes[number] = nil
    }
  }

  /// Writes one record, with all earlier changes. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable` for a wearable that was removed meanwhile, or the store's error.
  func writeNow(_ wearable: EnrolledWearable) async throws(HearthError) {
    await wearable.recordTurn.take()
    defer { wearable.recordTurn.give() }
    guard isEnrolled(wearable) else { throw HearthError(.noSuchWearable, "\(wearable.name) was forgotten") }
    try await context.store.update([wearable.record])
  }

  private func isEnrolled(_ wearable: EnrolledWearable) -> Bool { registry?.contains(wearable) ?? false }

  private func begin() {
    if let due { context.loop.cancel(due.timer) }
    due = nil
    let number = nextWrite
    nextWrite += 1
    writes[number] = context.loop.spawn { [self] in
      await writeWaiting()
      writes[number] = nil
    }
  }

  private func writeWaiting() async {
    // In the order of numbers, so that two such writes never wait for each other's wearables.
    let wearables = waiting.sorted { $0.id.number < $1.id.number }
    waiting = []
    for wearable in wearables { await wearable.recordTurn.take() }
    defer { for wearable in wearables { wearable.recordTurn.give() } }
    let enrolled = wearables.filter { isEnrolled($0) }
    if enrolled.isEmpty { return }
    do throws(HearthError) {
      try await context.store.update(enrolled.map(\.record))
    } catch {
      guard enrolled.count > 1 else { return context.logger.error("\(error)") }
      for wearable in enrolled {
        do throws(HearthError) { try await context.store.update([wearable.record]) } catch {
          context.logger.error("\(error)")
        }
      }
    }
  }
}
