// Whether an update serves: a pure machine over what the hub answers, and when. It asks nobody and reads no clock.

public import EventLoop

/// What a hub says of itself, as far as a trial asks.
public struct HubFacts: Sendable, Equatable {
  public var isServing: Bool
  public var radioIsReady: Bool
  /// For people: `H4199 card: …`; nil while the store is open and takes what comes.
  public var storeTrouble: String?
  /// Since this run of the daemon began.
  public var uptime: Duration

  public init(isServing: Bool, radioIsReady: Bool, storeTrouble: String?, uptime: Duration) {
    self.isServing = isServing
    self.radioIsReady = radioIsReady
    self.storeTrouble = storeTrouble
    self.uptime = uptime
  }
}

/// The trial of one update, from the first look to its verdict.
public struct UpdateTrial: Sendable {
  /// Within this time it must begin to serve. A start takes seconds; a radio that has to be reset takes one minute.
  public static let patience: Duration = .seconds(120)
  /// For this long one and the same run must then serve: a hub that crashes as it makes its first links does not.
  public static let steady: Duration = .seconds(30)
  /// A store that is converted is no hub that hangs, as long as it gets on: 1.5 GB at the slowest card's 3 MB/s, read
  /// and written, are 17 minutes. Altogether no longer than this.
  public static let conversionLimit: Duration = .seconds(6 * 3600)
  /// Two starts that are told within this are one: an answer is asked for and read between two readings of the clock.
  static let sameStart: Duration = .seconds(3)

  /// What one look at the hub found.
  public enum Look: Sendable, Equatable {
    case facts(HubFacts)
    /// It does not answer, and why.
    case silent(String)
    /// It does not answer because it converts its store, and how far it is.
    case converting(String)
  }

  public enum Verdict: Sendable, Equatable {
    case waiting
    /// It serves, and what to say of that.
    case good(String)
    /// It does not, and why.
    case bad(String)
    /// What serves is the program of before, which was not started anew.
    case undecided(String)
  }

  /// How the hub was before; nil: it did not serve.
  private let before: HubFacts?
  private let began: Instant
  private let patience: Duration
  private let steady: Duration
  /// When the version was installed, or the machine was started: what runs for longer is the program of before.
  private let installed: Instant
  private var deadline: Instant
  private var progress: String?
  private var run: Instant?
  private var servesSince: Instant?
  private var fault = "it does not answer"
  private var isOldProgram = false

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

  /// - Parameter now: never earlier than in the call before.
  public mutating func note(_ look: Look, at now: Instant) -> Verdict {
    // There is nothing to compare it with, and going back could not help.
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

  /// What is worse than before; nil: nothing.
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
