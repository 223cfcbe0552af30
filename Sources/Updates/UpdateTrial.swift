// Trial of an update: a pure state machine over the hub's answers and their times, without I/O or a clock.

public import EventLoop

/// State of a hub, as far as a trial needs it.
public struct HubFacts: Sendable, Equatable {
  /// True if the hub serves.
  public var isServing: Bool
  /// True if the radio is ready.
  public var radioIsReady: Bool
  /// Text such as `H4199 card: …`; nil while the store is open and accepts data.
  public var storeTrouble: String?
  /// Time since this run of the daemon began.
  public var uptime: Duration

  /// Facts of one answer; `storeTrouble` nil: the store is sound.
  public init(isServing: Bool, radioIsReady: Bool, storeTrouble: String?, uptime: Duration) {
    self.isServing = isServing
    self.radioIsReady = radioIsReady
    self.storeTrouble = storeTrouble
    self.uptime = uptime
  }
}

/// Trial of one update, from the first check to its verdict.
public struct UpdateTrial: Sendable {
  /// Time within which it must begin to serve. A start takes seconds; a radio that has to be reset takes one minute.
  public static let patience: Duration = .seconds(120)
  /// Time for which the same run must then serve: a hub that crashes at its first links does not.
  public static let steady: Duration = .seconds(30)
  /// Limit for a hub that converts its store, which counts as alive as long as it makes progress. 1.5 GB at the slowest
  /// card's 3 MB/s, read and written, take 17 minutes.
  public static let conversionLimit: Duration = .seconds(6 * 3600)
  /// Tolerance for one start time: an answer is requested and read between two clock readings.
  static let sameStart: Duration = .seconds(3)

  /// Result of one check of the hub.
  public enum Look: Sendable, Equatable {
    case facts(HubFacts)
    /// The hub does not answer, with the reason.
    case silent(String)
    /// The hub does not answer because it converts its store, with the progress.
    case converting(String)
  }

  /// Decision about the update.
  public enum Verdict: Sendable, Equatable {
    case waiting
    /// The update serves; text for the report.
    case good(String)
    /// The update does not serve; reason.
    case bad(String)
    /// The old program still runs, because it was not restarted.
    case undecided(String)
  }

  /// State before the update; nil: the hub did not serve.
  private let before: HubFacts?
  private let began: Instant
  private let patience: Duration
  private let steady: Duration
  /// Time of the installation, or of the machine's boot: a process older than that is the old program.
  private let installed: Instant
  private var deadline: Instant
  private var progress: String?
  private var run: Instant?
  private var servesSince: Instant?
  private var fault = "it does not answer"
  private var isOldProgram = false

  /// A trial; `before`: facts of the old version, nil: it did not run.
  public init(
    before: HubFacts?, began: Instant, installed: Instant, patience: Duration = UpdateTrial.patience,
    steady: Duration = UpdateTrial.steady
  ) {
    self.before = before.flatMap { $0.isServing ? $0 : nil }
    self.began = began
    self.installed = installed
    self.patience = patience
    self.steady = steady
    deadline = began + patience
  }

  /// - Parameter now: never earlier than in the previous call.
  public mutating func note(_ look: Look, at now: Instant) -> Verdict {
    // Without an earlier state there is no comparison, and reverting could not help.
    guard let before else { return .good("not judged, as the hub did not serve before") }
    isOldProgram = false
    switch look {
    case .silent(let why): lost(why)
    case .converting(let text):
      lost("it converts its store: \(text)")
      if text != progress {
        progress = text
        deadline = max(deadline, min(now + patience, began + Self.conversionLimit))
      }
    case .facts(let facts): note(facts, before, at: now)
    }
    if let servesSince {
      let time = now - servesSince
      return time >= steady ? .good(praise(before)) : .waiting
    }
    if now < deadline { return .waiting }
    return isOldProgram ? .undecided("the program of before still runs") : .bad(fault)
  }

  private mutating func note(_ facts: HubFacts, _ before: HubFacts, at now: Instant) {
    let start = now - facts.uptime
    if installed - start > Self.sameStart {
      lost("the program of before still runs")
      isOldProgram = true
      return
    }
    let isSameRun = run.map { (start - $0).magnitude <= Self.sameStart } ?? false
    if !isSameRun {
      if run != nil { lost("it does not keep running") }
      run = start
    }
    if let fault = Self.fault(facts, before) { return lost(fault) }
    if servesSince == nil, now < deadline { servesSince = now }
  }

  private mutating func lost(_ why: String) {
    servesSince = nil
    fault = why
  }

  /// First property that is worse than before; nil: no such property.
  private static func fault(_ facts: HubFacts, _ before: HubFacts) -> String? {
    if !facts.isServing { return "it answers and does not serve" }
    if !facts.radioIsReady, before.radioIsReady { return "its radio is not ready" }
    if let trouble = facts.storeTrouble, before.storeTrouble == nil { return "its store: \(trouble)" }
    return nil
  }

  private func praise(_ before: HubFacts) -> String {
    let words = "served for \(Int(steady.inSeconds)) s"
    return before.radioIsReady ? words : words + ", without a radio as before"
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
