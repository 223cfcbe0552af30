// The live streams of one link: which ordered streams run, and what is done when one does not.

import Bluetooth
import EventLoop
import Health
import Reasons
import Wearable

/// Establishes the ordered streams on every call; streams that already run as ordered are left alone.
@LoopActor
final class PolarLive {
  let decoder = PolarDecoder()
  let link: any WearableLink
  private let client: PMD.Client
  private var streams: [PMD.MeasurementType: PolarStream] = [:]
  /// Profile of a link with live values, until `follow` sets another one. The faster profile of a visit is no reason to
  /// change a rate twice.
  private var profile = LinkProfile.background
  private var features: PMD.Features?
  /// nil until it was read.
  private var isInSDKMode: Bool?
  /// Reasons why SDK mode is off, for streams with an ordered rate that needs it.
  private(set) var obstacles: [PMD.MeasurementType: String] = [:]
  private let offers: PolarStreamOffers
  private var hasLooked = false
  /// True after a protocol error or a missing answer: not tried again over this link until the orders change.
  private var isGivenUp = false

  /// Interval at which ended streams are noticed. The check causes no radio traffic.
  static let watch: Duration = .seconds(5)

  init(_ link: any WearableLink, _ client: PMD.Client) {
    self.link = link
    self.client = client
    offers = PolarStreamOffers(client)
  }

  // MARK: Events

  /// Starts after the link is kept, or after a change of orders.
  func begin() async throws(VisitTrouble) {
    isGivenUp = false
    // Retries refused streams: the wearable may have been charging.
    streams = streams.filter { $0.value.isRunning || $0.value.until != nil }
    try await arrange()
  }

  func follow(_ profile: LinkProfile) async throws(VisitTrouble) {
    self.profile = profile
    try await arrange()
  }

  var attendance: Duration? { streams.isEmpty ? nil : Self.watch }

  func attend() async throws(VisitTrouble) {
    for type in running where streams[type]?.look(tally(type), now) == true {
      link.note("\(type) fell silent: it is started again")
      try await stop(type)
      streams[type]?.ended("fell silent", now)
    }
    try await arrange()
  }

  /// Some models go on streaming after the link ends, and a strap's battery is then empty in a day.
  var needsClosing: Bool { isInSDKMode == true || streams.values.contains { $0.isRunning } }

  func end() async throws(VisitTrouble) {
    try await stopAll()
    if isInSDKMode == true, try await !isRecording() { try await setSDKMode(false) }
  }

  /// Called when a recording switches SDK mode.
  func wasSwitched(sdkMode isOn: Bool) { isInSDKMode = isOn }

  private var now: Int64 { link.hubTime.monotonic }
  private func tally(_ type: PMD.MeasurementType) -> PMD.StreamDecoder.Tally {
    decoder.streams?.tally(type) ?? PMD.StreamDecoder.Tally()
  }
  private var running: [PMD.MeasurementType] {
    streams.filter { $0.value.isRunning }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  // MARK: Establishing the streams

  private func arrange() async throws(VisitTrouble) {
    noteEnded()
    if isGivenUp { return }
    do throws(VisitTrouble) { try await bringAbout() } catch {
      switch error {
      case .silent, .framing: isGivenUp = true
      default: break
      }
      throw error
    }
  }

  private func bringAbout() async throws(VisitTrouble) {
    guard !link.orders.streams.isEmpty || !streams.isEmpty || !hasLooked && mayBeLeftOn else { return }
    let features = try await knownFeatures()
    try await lookOnce(features)
    let wanted = features.online.filter { isWanted($0) }.sorted { $0.rawValue < $1.rawValue }
    for type in running where !wanted.contains(type) { try await stop(type) }
    streams = streams.filter { wanted.contains($0.key) }
    try await chooseMode(features, wanted)
    for type in wanted { try await bringAbout(type) }
  }

  private func isWanted(_ type: PMD.MeasurementType) -> Bool {
    type.series.contains { link.orders.streams.contains($0) } && (profile != .idle || !type.needsFastLink)
  }

  private func knownFeatures() async throws(VisitTrouble) -> PMD.Features {
    if let features { return features }
    do throws(VisitTrouble) {
      let read = try await client.features()
      features = read
      return read
    } catch {
      // The answer would be the same over this link.
      if case .unsupported = error { isGivenUp = true }
      throw error
    }
  }

  /// Notes the streams that the wearable itself ended.
  private func noteEnded() {
    for type in client.takeEnded() where streams[type]?.isRunning == true {
      decoder.streams?.stop(type)
      streams[type]?.ended("the wearable ended it", now)
      link.note("\(type) was ended by the wearable")
    }
  }

  // MARK: Leftovers of earlier links

  /// Whether the model may keep a stream or SDK mode after its link ends.
  private var mayBeLeftOn: Bool {
    Polar.streams(of: link.known.polarModel)?.sdkModeFrom != nil || leavesStreamsOn
  }

  private var leavesStreamsOn: Bool { hasIssue("stream-left-on") }

  /// Whether starting pulse intervals ends a running training.
  private var endsTrainings: Bool { hasIssue("ppi-slows-heart-rate") }

  private func hasIssue(_ id: String) -> Bool {
    Polar.issues(of: link.known.polarModel, link.known.polarFirmware).contains { $0.id == id }
  }

  /// Ends leftovers, once over a link: a stream would empty the battery, and SDK mode would block the heart rate.
  private func lookOnce(_ features: PMD.Features) async throws(VisitTrouble) {
    if hasLooked { return }
    hasLooked = true
    if leavesStreamsOn {
      for type in try await statesIfKnown().filter({ $0.value.isOnline }).keys.sorted(by: { $0.rawValue < $1.rawValue })
      {
        link.note("\(type) was left on: it is ended")
        try await client.stop(type)
      }
    }
    guard features.hasSDKMode else { return }
    isInSDKMode = try await client.ifKnown { () throws(VisitTrouble) in try await client.isInSDKMode() } ?? false
    guard isInSDKMode == true, try await !isRecording() else { return }
    link.note("SDK mode was left on: it is ended")
    try await setSDKMode(false)
  }

  private func statesIfKnown() async throws(VisitTrouble) -> [PMD.MeasurementType: PMD.MeasurementStatus.State] {
    try await client.ifKnown { () throws(VisitTrouble) in try await client.status() } ?? [:]
  }

  // MARK: SDK mode

  private func isRecording() async throws(VisitTrouble) -> Bool {
    try await statesIfKnown().values.contains { $0.isOffline }
  }

  /// SDK mode costs the heart rate and all else that the wearable computes. The mode is used only for an ordered rate
  /// that needs it, and never during a recording.
  private func chooseMode(_ features: PMD.Features, _ wanted: [PMD.MeasurementType]) async throws(VisitTrouble) {
    obstacles = [:]
    guard features.hasSDKMode else { return }
    var needing: [PMD.MeasurementType] = []
    for type in wanted where try await offers.needsSDKMode(type, for: ordered(type)) { needing.append(type) }
    let isNeeded = !needing.isEmpty
    guard isNeeded != (isInSDKMode ?? false) else { return }
    if try await isRecording() {
      // Recordings keep the mode in which they began.
      if isNeeded {
        link.note("a rate that needs SDK mode has to wait: the wearable records")
        for type in needing { obstacles[type] = "what it records keeps the mode in which that began" }
      }
      return
    }
    try await stopAll()
    streams = [:]
    try await setSDKMode(isNeeded, for: needing)
  }

  private func setSDKMode(_ isOn: Bool, for types: [PMD.MeasurementType] = []) async throws(VisitTrouble) {
    do throws(VisitTrouble) {
      try await client.setSDKMode(isOn)
      isInSDKMode = isOn
    } catch {
      // A stream or a recording of another host is running.
      guard case .busy = error else { throw error }
      link.note("SDK mode cannot be switched \(isOn ? "on" : "off") now: \(error)")
      for type in types { obstacles[type] = "that cannot be switched on now: \(error.refusal ?? "it is busy")" }
    }
  }

  // MARK: One stream

  private func bringAbout(_ type: PMD.MeasurementType) async throws(VisitTrouble) {
    if let stream = streams[type], !stream.mayBegin(now) { return }
    if type == .ppi, decoder.mayTrain, streams[type]?.isRunning != true, endsTrainings {
      streams[type, default: PolarStream()].waits("a training may run, which it would end")
      return
    }
    do throws(VisitTrouble) {
      let isSDK = isInSDKMode ?? false
      let offered = try await offers.offer(type, inSDKMode: isSDK)
      let plan = PMD.SamplingPlan(
        type: type, selection: offered.selection(type, ordered: ordered(type), profile), isInSDKMode: isSDK)
      if let stream = streams[type], stream.isRunning {
        if stream.plan == plan { return }
        try await stop(type)
      }
      try await begin(plan)
    } catch {
      switch error {
      case .unsupported(let why), .refused(_, let why): streams[type, default: PolarStream()].refused(why)
      case .busy(let why, _): streams[type, default: PolarStream()].ended(why, now)
      default: throw error
      }
      link.note("no \(type): \(error)")
    }
  }

  private func begin(_ plan: PMD.SamplingPlan) async throws(VisitTrouble) {
    var settings: PMD.StreamSettings
    do throws(VisitTrouble) { settings = try await client.start(plan.type, .online, plan.selection) } catch {
      guard case .busy = error, try await isLeftOn(plan.type) else { throw error }
      // Started over another link, which received the settings for its frames.
      try await client.stop(plan.type)
      settings = try await client.start(plan.type, .online, plan.selection)
    }
    settings.sampleRate = PMD.trueRate(
      plan.type, told: settings.sampleRate, model: link.known.polarModel, firmware: link.known.polarFirmware,
      inSDKMode: plan.isInSDKMode)
    decoder.prepareStreams().start(plan.type, settings)
    streams[plan.type, default: PolarStream()].began(plan, settings, tally(plan.type), now)
  }

  /// Whether it already streams. A measurement that is being recorded cannot stream, and its recording goes on.
  private func isLeftOn(_ type: PMD.MeasurementType) async throws(VisitTrouble) -> Bool {
    let state = try await statesIfKnown()[type]
    if state?.isOffline == true {
      throw .busy(what: "\(type) is being recorded, and cannot be streamed meanwhile", retryAfter: nil)
    }
    return state?.isOnline == true
  }

  /// Frames are decoded until the wearable has answered.
  private func stop(_ type: PMD.MeasurementType) async throws(VisitTrouble) {
    try await client.stop(type)
    decoder.streams?.stop(type)
    streams[type]?.stopped()
  }

  private func stopAll() async throws(VisitTrouble) {
    for type in running { try await stop(type) }
  }

  // MARK: Report

  /// Rows for running and tried streams, then for the other ordered ones.
  var rows: [ReportRow] {
    let known = streams.sorted { $0.key.rawValue < $1.key.rawValue }.map { type, stream in
      ReportRow(type.word, stream.fields(tally(type), shortfall(type, stream)))
    }
    let others = PMD.MeasurementType.allCases.filter { type in
      type != .offlineHR && streams[type] == nil && type.series.contains { link.orders.streams.contains($0) }
    }
    return known
      + others.map { type in
        let isOffered = features?.online.contains(type) ?? true
        let why =
          !isOffered
          ? "not offered" : profile == .idle && type.needsFastLink ? "an idle link does not carry it" : "not begun yet"
        let state =
          isOffered
          ? [ReportRow.Field("state", "waiting")]
          : [ReportRow.Field("state", "refused"), ReportRow.Field("code", Reason.streamNotBegun.code)]
        return ReportRow(type.word, state + [ReportRow.Field("why", why)])
      }
  }
}
