// Signal monitoring of one session: a pure state machine from packets and ticks to conditions that start and end.
// Faults are only passed to the session, which decides. Intervals are analysed elsewhere.

/// Monitors one sensor's stream and its surroundings, as far as they matter to a measurement.
///
/// | code | begins | ends |
/// |---|---|---|
/// | 4 | supply voltage is low | it is not |
/// | 14 | sensor's battery below 20 % | at 25 % |
/// | 17 | clock unsynchronised, or stepped by more than 2 s | synchronised, and no measurement saw the step |
/// | 19, 20 | adapter off, not allowed | usable |
/// | 3003 | in a measurement: 15 s without usable interval and with contact; or gaps beyond 20 % of it | it is over |
/// | 3500 | artefacts beyond 20 % in 10 s | 5 s after the last time that this was so |
/// | 4506 | nothing enabled | something is |
/// | 8501 | 3 s without contact | contact, or unknown |
/// | 9500 | more than 3 s without a packet | the next packet |
///
/// Ticks are expected about once a second; late ones only delay conditions.
public struct SignalWatch: Sendable, Equatable {
  /// Microseconds, percent: values of the table above.
  public enum Limit {
    /// Time without a usable interval after which code 3003 begins, 15 s.
    public static let withoutInterval: Int64 = 15_000_000
    /// Time without contact after which code 8501 begins, 3 s.
    public static let withoutContact: Int64 = 3_000_000
    /// Time without a packet after which code 9500 begins, 3 s.
    public static let withoutPacket: Int64 = 3_000_000
    /// Window of the share of artefacts, 10 s.
    public static let window: Int64 = 10_000_000
    /// Time without artefacts after which code 3500 ends, 5 s.
    public static let hiding: Int64 = 5_000_000
    /// Step of the clock that raises code 17, 2 s.
    public static let step: Int64 = 2_000_000
    /// Fraction of a measurement's length: one fifth.
    public static let gapDivisor: Int64 = 5
    /// Percent below which the battery is low.
    public static let batteryLow = 20
    /// A battery that is not charging does not gain five percent, so that a fluctuating value is reported once.
    public static let batteryFine = 25
    /// Packets within `window`, from a sensor that sends twelve a second. For a faster one the window is shorter.
    public static let packets = 128
  }

  private struct Measured: Sendable, Equatable {
    let began: Int64
    let length: Int64
    var gaps: Int64 = 0
  }

  private struct Share: Sendable, Equatable {
    let time: Int64
    let received: Int
    let doubt: Int
  }

  /// Current conditions, in the order in which they started.
  public private(set) var active: [SessionCode] = []
  /// Microseconds between the batches of a stream that collects before it sends; 0 for one that sends at once. Silence
  /// counts from when the next batch is due.
  public let batchSpacing: Int64
  private var streamsSince: Int64?
  private var lastPacket: Int64 = 0
  private var lastInterval: Int64 = 0
  private var lastUsable: Int64 = 0
  private var contact = SignalPacket.Contact.unknown
  private var contactSince: Int64 = 0
  private var window: [Share] = []
  private var hiddenUntil = Int64.min
  private var measured: Measured?
  private var isSynchronised = true
  private var wasStepped = false
  private var before: SessionMoment?

  /// A monitor; `batchSpacing` in microseconds, at most the time without an interval.
  public init(batchSpacing: Int64 = 0) { self.batchSpacing = min(max(batchSpacing, 0), Limit.withoutInterval) }

  /// Whether instantaneous values are hidden from listeners now.
  public var hidesValues: Bool { active.contains(.signalDoubtful) }

  // MARK: Stream and measurement

  /// The sensor is connected and streams.
  public mutating func streamBegan(at moment: SessionMoment) {
    let now = moment.monotonic
    streamsSince = now
    (lastPacket, lastInterval, lastUsable) = (now, now, now)
    (contact, contactSince) = (.unknown, now)
    window = []
  }

  /// Called when the sensor was lost or disconnected. Conditions of the stream end.
  public mutating func streamEnded(at moment: SessionMoment) -> [SignalNotice] {
    streamsSince = nil
    window = []
    contact = .unknown
    var notices: [SignalNotice] = []
    for code in [SessionCode.signalDoubtful, .notOnBody, .dataGap] { set(code, false, &notices) }
    return notices
  }

  /// Called when the session is processing.
  ///
  /// - Parameter length: requested, microseconds.
  public mutating func measurementBegan(length: Int64, at moment: SessionMoment) {
    measured = Measured(began: moment.monotonic, length: length)
  }

  /// Called when the session is stopping.
  public mutating func measurementEnded(at moment: SessionMoment) -> [SignalNotice] {
    measured = nil
    wasStepped = false
    var notices: [SignalNotice] = []
    set(.signalLost, false, &notices)
    set(.clockSkew, !isSynchronised, &notices)
    return notices
  }

  /// Takes one packet of the stream; ignored while no stream is open.
  public mutating func take(_ packet: SignalPacket, at moment: SessionMoment) -> [SignalNotice] {
    guard streamsSince != nil else { return [] }
    let now = moment.monotonic
    if packet.received > 0 { count(packet.gap ?? silence(now, from: lastInterval), now) }
    lastPacket = max(lastPacket, now)
    if packet.received > 0 { lastInterval = lastPacket }
    if packet.usable > 0 { lastUsable = lastPacket }
    if packet.contact != contact { (contact, contactSince) = (packet.contact, now) }
    if packet.received > 0 {
      if window.count == Limit.packets { window.removeFirst() }
      window.append(Share(time: now, received: packet.received, doubt: packet.doubt))
    }
    return tick(at: moment)
  }

  /// Advances the time.
  public mutating func tick(at moment: SessionMoment) -> [SignalNotice] {
    let now = moment.monotonic
    var notices: [SignalNotice] = []
    watchClock(moment, &notices)
    guard streamsSince != nil else { return notices }
    set(.dataGap, silence(now, from: lastPacket) > 0, &notices)
    let isOff = contact == .lost && SessionMoment.distance(contactSince, now) >= Limit.withoutContact
    set(.notOnBody, isOff, &notices)
    watchDoubt(now, &notices)
    watchLoss(now, &notices)
    return notices
  }

  /// Takes the artefact share of the last 10 s, as `LiveBeatAnalyser` classifies it: packets alone do not show which
  /// intervals are artefacts.
  ///
  /// - Parameter share: 0 to 1; nil without intervals.
  public mutating func artefacts(_ share: Double?, at moment: SessionMoment) -> [SignalNotice] {
    guard streamsSince != nil, let share, share > InstantValues.doubtfulShare else { return [] }
    hiddenUntil = max(hiddenUntil, SessionMoment.time(moment.monotonic, plus: Limit.hiding))
    return set(.signalDoubtful, true)
  }

  // MARK: Around the stream

  /// - Parameter percent: charge of the sensor's battery; values above 100 are ignored.
  public mutating func battery(_ percent: Int) -> [SignalNotice] {
    guard (0...100).contains(percent) else { return [] }
    let isLow = percent < (active.contains(.sensorBatteryLow) ? Limit.batteryFine : Limit.batteryLow)
    return set(.sensorBatteryLow, isLow)
  }

  /// Notes the supply voltage.
  public mutating func power(isLow: Bool) -> [SignalNotice] { set(.lowPower, isLow) }

  /// Notes whether the clock is synchronised.
  public mutating func clock(isSynchronised: Bool) -> [SignalNotice] {
    self.isSynchronised = isSynchronised
    return set(.clockSkew, !isSynchronised || wasStepped)
  }

  /// Notes the condition of the adapter.
  public mutating func adapter(_ condition: AdapterCondition) -> [SignalNotice] {
    var notices: [SignalNotice] = []
    set(.bluetoothOff, condition == .off, &notices)
    set(.bluetoothNotAllowed, condition == .notAllowed, &notices)
    return notices
  }

  /// - Parameter count: number of vital signs that sensor and policy allow.
  public mutating func enabled(_ count: Int) -> [SignalNotice] { set(.nothingEnabled, count <= 0) }

  // MARK: Conditions

  /// Microseconds without a packet or an interval if that is a gap, otherwise 0. The time between two batches is no
  /// gap.
  private func silence(_ now: Int64, from last: Int64) -> Int64 {
    let silent = SessionMoment.distance(last, now)
    return silent > Limit.withoutPacket + batchSpacing ? silent - batchSpacing : 0
  }

  /// Counts a gap that ended now. Silence before the measurement is not part of it.
  private mutating func count(_ gap: Int64, _ now: Int64) {
    guard let running = measured else { return }
    let within = min(gap, SessionMoment.distance(running.began, now))
    measured?.gaps = SessionMoment.time(running.gaps, plus: within)
  }

  /// Detects a step of the wall clock by the change of the offset between the two clocks. The condition lasts as long
  /// as the measurement that it affects, otherwise until the next tick.
  private mutating func watchClock(_ moment: SessionMoment, _ notices: inout [SignalNotice]) {
    if let before {
      let passed = moment.monotonic.subtractingReportingOverflow(before.monotonic)
      let shown = moment.wall.subtractingReportingOverflow(before.wall)
      let step = shown.partialValue.subtractingReportingOverflow(passed.partialValue)
      let isBeyond = passed.overflow || shown.overflow || step.overflow
      let isStep = isBeyond || step.partialValue.magnitude > UInt64(Limit.step)
      wasStepped = isStep || (wasStepped && measured != nil)
    }
    before = moment
    set(.clockSkew, !isSynchronised || wasStepped, &notices)
  }

  private mutating func watchDoubt(_ now: Int64, _ notices: inout [SignalNotice]) {
    window.removeAll { SessionMoment.distance($0.time, now) > Limit.window }
    let received = window.reduce(0) { $0 + $1.received }
    let doubt = window.reduce(0) { $0 + $1.doubt }
    // Doubt is in halves, so the limit of a fifth is two fifths of the halves.
    if doubt * 5 > received * 2 { hiddenUntil = SessionMoment.time(now, plus: Limit.hiding) }
    set(.signalDoubtful, now < hiddenUntil, &notices)
  }

  private mutating func watchLoss(_ now: Int64, _ notices: inout [SignalNotice]) {
    guard let measured, !active.contains(.signalLost) else { return }
    let from = max(lastUsable, measured.began, contactSince)
    let isBlind = contact == .made && SessionMoment.distance(from, now) >= Limit.withoutInterval
    let open = silence(now, from: max(lastInterval, measured.began))
    let gaps = SessionMoment.time(measured.gaps, plus: open)
    set(.signalLost, isBlind || gaps > measured.length / Limit.gapDivisor, &notices)
  }

  private mutating func set(_ code: SessionCode, _ holds: Bool) -> [SignalNotice] {
    var notices: [SignalNotice] = []
    set(code, holds, &notices)
    return notices
  }

  private mutating func set(_ code: SessionCode, _ holds: Bool, _ notices: inout [SignalNotice]) {
    guard holds != active.contains(code) else { return }
    if holds {
      active.append(code)
      notices.append(measured != nil && code.kind == .error ? .fault(code) : .began(code))
    } else {
      active.removeAll { $0 == code }
      notices.append(.ended(code))
    }
  }
}
