// The stages of a visit to an insole: who it is, what it does, what time it thinks it is; and what an operator may ask of it.

import Bluetooth
import EventLoop
import Health
import Wearable

final class BotzSession: WearableSession {
  private let link: any WearableLink
  private let insole: InsoleClient
  private let files: ActivityDomain?

  /// Bytes of the insole's own file system.
  static let memory = 0x6E_0000

  init(_ link: any WearableLink) {
    self.link = link
    let insole = InsoleClient(link)
    self.insole = insole
    files = link.database.characteristic(Botz.Management.frames, in: Botz.Management.service).map {
      ActivityDomain(insole, SMPChannel(link, $0), memory: Self.memory)
    }
  }

  var domains: [any FetchDomain] { files.map { [$0] } ?? [] }

  // MARK: check

  func check() async throws(VisitTrouble) -> CheckReport {
    try await refuseLeftFoot()
    guard link.database.characteristic(Botz.Information.status, in: Botz.Information.service) != nil else {
      throw .unsupported("an insole without its status")
    }
    var report = CheckReport()
    let (status, pack) = try await insole.readStatusPack()
    if let pack {
      report.uptime = .seconds(Int64(pack.uptime))
      if pack.freeMegabytes > 0 { report.memoryFree = Int(pack.freeMegabytes) << 20 }
    }
    report.memoryTotal = Self.memory
    report.activity = Self.activity(status.activity)
    if status.activity.isSession { report.mayNotFetch = "it is \(status.activity.name)" }
    if files == nil {
      link.note("this build has no management service: its files cannot be fetched")
      report.mayNotFetch = "this build has no file transfer"
    }
    if try await isUpdating() {
      report.activity = .busy
      report.mayNotFetch = "somebody else is updating its firmware"
      report.clock = try await insole.readClock()
      return report
    }
    report.clock = try await insole.setClock()
    return report
  }

  private static func activity(_ activity: Botz.StatusWord.Activity) -> CheckReport.Activity {
    switch activity {
    case .idle: .idle
    case .running: .recording
    case .paused: .paused
    case .footStream, .orientationStream, .bothStreams: .streaming
    }
  }

  /// Without a name in its advertisements an insole may have been the left one.
  private func refuseLeftFoot() async throws(VisitTrouble) {
    guard let name = link.database.characteristic(.deviceName, in: .genericAccess) else { return }
    if try await insole.read(name) == Array(Botz.leftFootName.utf8) { throw .unsupported("this is the left foot; only the right one is visited") }
  }

  private func isUpdating() async throws(VisitTrouble) -> Bool {
    guard let bytes = try await insole.readIfPresent(Botz.Information.updateProgress) else { return false }
    return bytes.withUnsafeBytes { try? Botz.UpdateProgress($0) }?.isActive == true
  }

  // MARK: clock

  func readClock() async throws(VisitTrouble) -> DeviceClock? { try await insole.readClock() }

  var attendance: Duration? { InsoleClient.clockInterval }

  func attend() async throws(VisitTrouble) { try await insole.keepClock(always: true) }

  // MARK: actions

  var actions: [WearableAction] { BotzAction.all.map(\.action) }

  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String {
    guard let known = BotzAction.all.first(where: { $0.action.name == action.name }) else { throw .unsupported(action.name) }
    return try await perform(known)
  }

  /// Only the steps of the state machine that the firmware survives; everything else is not written.
  private func perform(_ action: BotzAction) async throws(VisitTrouble) -> String {
    let activity = try await insole.readStatus().activity
    guard let step = action.step(from: activity) else {
      if activity == action.goal { return "nothing to do: it is \(activity.name) already" }
      throw .busy(what: "it is \(activity.name)", retryAfter: nil)
    }
    let newest = try await insole.readNewestFile()
    // A session's header carries the clock of this moment.
    try await insole.keepClock(always: true)
    try await insole.command(step.write)
    for _ in 0..<action.readBacks {
      try await link.settle(for: InsoleClient.pacing)
      if try await insole.readStatus().activity == step.goal { return try await outcome(action, newestBefore: newest) }
    }
    throw .silent(what: "\(action.action.name): acknowledged, but it is \(try await insole.readStatus().activity.name)")
  }

  private func outcome(_ action: BotzAction, newestBefore: Botz.FileNumber?) async throws(VisitTrouble) -> String {
    guard action == .stopActivity else { return action.success }
    // Its announcement can be lost; reading it back cannot.
    try await link.settle(for: .seconds(1))
    guard let newest = try await insole.readNewestFile(), newest != newestBefore else { return "stopped, but no new file is announced: the session may be lost" }
    return "stopped: \(newest.name)"
  }
}
