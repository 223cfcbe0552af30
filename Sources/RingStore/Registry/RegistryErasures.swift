// Erasing a person: first the link to the person is deleted in one commit; when all data is deleted, the erasure is
// marked as done.

internal import EventLoop
internal import Reasons

extension RegistryKeeper {
  /// Records that a person is to be erased, and deletes the name and the assignments.
  func beginErasure(of id: WearerID, naming named: [WornSpan]) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    guard wearer(id) != nil else { throw HearthError(.noSuchWearer, "no wearer has the number \(id.number)") }
    // The present assignments: another one may have been entered while the plan was shown.
    let spans = Array(people.spans(of: id).prefix(Erasure.spanLimit))
    let now = disk.loop.wall
    let all = Array((spans + named).prefix(Erasure.spanLimit))
    let erasure = Erasure(wearer: id, begunAt: now, spans: all)
    let freed = people.assignments.filter { $0.wearer == id }.map {
      Assignment(wearable: $0.wearable, from: $0.from, wearer: nil, enteredAt: now)
    }
    // An assignment is some 60 bytes; half-full leaves hold thirty.
    let pages = 16 + all.count / 100 + freed.count / 15 + Corrections.pages(spans.count)
    try await disk.change(pages: pages) { transaction throws(DatabaseFailure) in
      try transaction.put(erasure)
      for assignment in freed { try transaction.put(assignment) }
      // Readers' copies have the person's name: they get the correction "no wearer".
      for span in spans where span.from < now {
        let corrected = CorrectedSpan(from: span.from, to: min(span.to, now), old: id, new: nil)
        try Corrections.add(transaction, [corrected], wearable: span.wearable, at: now)
      }
      try transaction.delete(transaction.tables.wearers, [UInt8](bigEndian: id.number))
    }
    for assignment in freed { content.people.note(assignment) }
    content.people.remove(id)
    content.erasures.removeAll { $0.wearer == id }
    content.erasures.append(erasure)
  }

  /// Erasures that have begun and are not complete.
  var erasures: [Erasure] { content.erasures }

  /// Marks an erasure as done.
  func endErasure(_ done: Erasure) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    try await disk.change(pages: 24) { transaction throws(DatabaseFailure) in
      try transaction.put(done)
      // Damaged chunks of the journal are unreadable and may hold some of the data.
      try transaction.withCursor(transaction.tables.quarantine) { cursor throws(DatabaseFailure) in
        while try cursor.first() != nil { try cursor.delete() }
      }
    }
    content.erasures.removeAll { $0.wearer == done.wearer }
    let wearables = Set(done.spans.map(\.wearable))
    events.note(
      .wearerErased,
      text: "wearer \(done.wearer.number) erased: \(done.items) items of \(wearables.count) wearables")
  }
}
