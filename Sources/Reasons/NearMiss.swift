// "Did you mean": the known word that is nearest to a mistyped one.

/// The candidate that `word` most likely stands for; nil if all are too different.
///
/// An edit inserts, deletes or replaces a letter, or swaps two neighbours. A candidate may have one edit for each three
/// letters, and always one. Among equals the first candidate wins.
///
/// - Parameter limit: the most edits. For numbered names use 1, because two edits make another name.
package func nearMiss(_ word: String, among candidates: [String], atMost limit: Int = .max) -> String? {
  // Longer words are not typing errors, and the work stays bounded.
  if word.utf8.count > 64 { return nil }
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let distance = editDistance(Array(word.lowercased().utf8), Array(candidate.utf8))
    if distance <= min(limit, max(1, candidate.utf8.count / 3)), distance < best?.distance ?? .max {
      best = (candidate, distance)
    }
  }
  return best?.candidate
}

/// Optimal string alignment distance.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}

/// Text such as ` (did you mean 'slots'?)`; empty without a candidate.
package func hint(_ candidate: String?) -> String {
  candidate.map { " (did you mean '\($0)'?)" } ?? ""
}
