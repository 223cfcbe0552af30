// In which unit a night tells how long its stages were: nobody published it.

import TopStepMessages

/// Lengths of stages, s. Seconds are assumed. They are minutes where all of them together are less than an hour and the
/// night is longer, and where each stage begins so many minutes after the one before as that lasted.
struct SleepLengths: Sendable, Hashable {
  let seconds: [Int64]
  /// A guess: the night is stored as one that is doubted.
  let areMinutes: Bool

  /// s of one stage.
  static let longest: Int64 = 86_400
  private static let hour: Int64 = 3600

  init(_ items: [TopStepSleepItem]) {
    let told = items.map { Int64($0.duration) }
    areMinutes = Self.areMinutes(items.map(\.time), told)
    let unit: Int64 = areMinutes ? 60 : 1
    seconds = told.map { $0 * unit }
  }

  private static func areMinutes(_ times: [Int64], _ told: [Int64]) -> Bool {
    guard let first = times.first, let last = times.last, times.allSatisfy({ TopStep.times.contains($0) }),
      told.reduce(0, +) < hour
    else { return false }
    if last - first > hour { return true }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
    return !steps.isEmpty && zip(steps, told).allSatisfy { $0 == $1 * 60 && $1 > 0 }
  }
}
