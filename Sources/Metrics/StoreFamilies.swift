// Metrics of the store and its card.

internal import EventLoop
internal import RingStore

extension MetricsSnapshot {
  var storeFamilies: [MetricFamily] {
    let wear = store.wear
    return [
      .gauge("hearth_store_limit_bytes", unit: .bytes, "Upper bound of the store's size.")
        .adding(.whole(store.sizeBytes)),
      .gauge("hearth_store_file_bytes", unit: .bytes, "Size of the store's file.").adding(.whole(store.fileBytes)),
      .gauge("hearth_store_used_bytes", unit: .bytes, "Pages of the store that hold something.")
        .adding(.whole(store.usedBytes)),
      .gauge("hearth_store_page_size_bytes", unit: .bytes, "Size of one page of the store.")
        .adding(store.pageBytes > 0 ? .whole(store.pageBytes) : nil),
      .gauge("hearth_store_pages", "Pages of the store's file, by what they are.")
        .adding(pages(store.usedBytes), ("state", "used")).adding(pages(store.freeBytes), ("state", "free")),
      .gauge("hearth_store_fullness_ratio", unit: .ratio, "Used bytes of the upper bound, 0 to 1.")
        .adding(store.sizeBytes > 0 ? .number(Double(store.usedBytes) / Double(store.sizeBytes)) : nil),
      .gauge("hearth_store_healthy", "1 while commits succeed.").adding(.truth(store.trouble == nil)),
      .gauge("hearth_store_kept_samples", "Samples that are durable.").adding(.count(store.samples)),
      .gauge("hearth_store_unexported_samples", "Durable samples that no reader has confirmed.")
        .adding(.count(store.unexported)),
      .gauge("hearth_store_pending_samples", "Samples in memory that are not durable yet.")
        .adding(.whole(store.pendingSamples)),
      .gauge("hearth_store_pending_bytes", unit: .bytes, "Their size, packed.").adding(.whole(store.pendingBytes)),
      .gauge("hearth_store_staged_bytes", unit: .bytes, "Kept of recordings that are not whole yet.")
        .adding(.whole(store.stagedBytes)),
      .gauge("hearth_store_oldest_sample_age_seconds", unit: .seconds, "Age of the oldest sample.")
        .adding(store.oldest.map { .age($0, wall) }),
      .gauge(
        "hearth_store_journal_oldest_age_seconds", unit: .seconds,
        "Age of the oldest sample that waits in the journal for its ring."
      ).adding(store.journalOldest.map { .age($0, wall) }),
      .gauge("hearth_store_commit_age_seconds", unit: .seconds, "Since samples last became durable.")
        .adding(store.lastCommit.map { .age($0, wall) }),
      .counter("hearth_store_commits", "Commits since start, by cause.").adding(store.commitCauses) {
        MetricSample(labels: [("cause", $0.cause.rawValue)], value: .count($0.count))
      },
      .counter("hearth_store_batches", "Batches of fetched samples that became durable since start.")
        .adding(.count(store.batches)),
      .counter("hearth_store_failed_commits", "Commits that the disk refused since start.")
        .adding(.count(store.failedCommits)),
      .counter("hearth_store_evicted_samples", "Samples that made room for newer ones since start.")
        .adding(.count(store.evictedSinceStart)),
      .counter("hearth_store_corrupt_chunks", "Chunks found with a wrong checksum since start.")
        .adding(.count(store.corruptChunks)),
      .counter("hearth_card_written_bytes", unit: .bytes, "Written to the card for this store, ever.")
        .adding(.count(wear.odometer)),
      .gauge("hearth_card_written_today_bytes", unit: .bytes, "Written to the card since midnight in the hub's zone.")
        .adding(.count(wear.bytesToday)),
      .gauge("hearth_card_budget_bytes", unit: .bytes, "What is to be written to the card in a day at most.")
        .adding(wear.budgetPerDay.map { .count($0) }),
    ]
  }

  private func pages(_ bytes: Int) -> MetricValue? { store.pageBytes > 0 ? .whole(bytes / store.pageBytes) : nil }
}
