// "Did you mean": the known word nearest to a mistyped one.

/// The candidate that `word` most likely stands for, or nil if none is near: at most one edit (insert, delete, replace
/// a letter, swap two neighbours) for each three letters of the candidate, one at least. The first of equals wins.
///
/// - Parameter limit: the most edits: of numbered names, two edits make another one.
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

/// ` (did you mean 'slots'?)`, or nothing.
package func hint(_ candidate: String?) -> String {
  candidate.map { " (did you mean '\($0)'?)" } ?? ""
}
