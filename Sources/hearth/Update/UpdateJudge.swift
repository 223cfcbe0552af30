// Judge of an update. Asks the hub repeatedly whether it serves, until `UpdateTrial` has a verdict.

import EventLoop
import Glibc
import HubProtocol
import Reasons
import Updates

struct UpdateJudge {
  /// Seconds between two requests.
  private static let pause: UInt32 = 2
  let socket: String
  let folder: String
  var patience = UpdateTrial.patience
  var steady = UpdateTrial.steady

  /// Waits for the verdict: half a minute for a good hub, two minutes for one that does not serve.
  func judge() -> UpdateTrial.Verdict {
    let began = Self.now
    var trial = UpdateTrial(
      before: before(), began: began, installed: installed(began), patience: patience, steady: steady)
    while true {
      let verdict = trial.note(look(), at: Self.now)
      if verdict != .waiting { return verdict }
      sleep(Self.pause)
    }
  }

  /// Time since the machine's start, including sleep. Setting the clock does not change it.
  private static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Time of the installation, on the clock of this start of the machine. After a restart every running program is new.
  private func installed(_ now: Instant) -> Instant {
    guard let text = try? PrivateFile.read(folder + "/trial", limit: UpdateRecord.limit),
      let record = UpdateRecord(String(decoding: text, as: UTF8.self)),
      let boot = try? PrivateFile.read("/proc/sys/kernel/random/boot_id", limit: 100),
      record.boot == String(decoding: boot.prefix { $0 != 0x0A }, as: UTF8.self)
    else { return Instant(nanoseconds: 0) }
    return min(now, Instant(nanoseconds: 0) + .seconds(max(0, record.uptime)))
  }

  /// State before the update, by a status document of the former program (`hearth-update keep`).
  private func before() -> HubFacts? {
    guard let bytes = try? PrivateFile.read(folder + "/before.json", limit: VarlinkLimits.reply),
      let status = try? JSON.parse(bytes)
    else { return nil }
    return HubFacts(status: status)
  }

  private func look() -> UpdateTrial.Look {
    do throws(HearthError) {
      let status = try ControlClient(path: socket).call("Status")["status"] ?? .null
      guard let facts = HubFacts(status: status) else { return .silent("its answer is not understood") }
      return .facts(facts)
    } catch {
      return Self.progress().map { .converting($0) } ?? .silent(error.detail)
    }
  }

  /// Progress of the store that a starting daemon reports to systemd, such as `copying the store first: 4 %`.
  private static func progress() -> String? {
    guard let said = SystemctlChild.show(["ActiveState", "StatusText"]) else { return nil }
    let lines = said.split(separator: "\n")
    guard lines.contains("ActiveState=activating"),
      let text = lines.first(where: { $0.hasPrefix("StatusText=") })?.dropFirst(11), text.hasSuffix("%")
    else { return nil }
    return String(text.suffix(100))
  }
}

extension HubFacts {
  /// Codes of troubles of the card or its free space. Troubles that an update could cause are not in this list.
  private static let storeCodes: Set = ["H4001", "H4007", "H4008", "H4199"]

  /// Reads a status document of any version; nil for other documents.
  init?(status: JSON) {
    guard let phase = status["phase"]?.text, case .integer(let uptime)? = status["uptime_seconds"],
      let radio = status["radio"]?["state"]?.text
    else { return nil }
    var trouble: String?
    if case .array(let entries)? = status["attention"] {
      for entry in entries where entry["device"]?.text == nil {
        guard let code = entry["reason"]?["code"]?.text, Self.storeCodes.contains(code) else { continue }
        trouble = trouble ?? "\(code) \(harmless(entry["reason"]?["detail"]?.text ?? "", limit: 160))"
      }
    }
    self.init(
      isServing: phase == "serving", radioIsReady: radio == "ready", storeTrouble: trouble, uptime: .seconds(uptime))
  }
}
