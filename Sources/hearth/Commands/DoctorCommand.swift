// A check of everything on this hub, with or without a daemon.

import ArgumentParser
import CLinux
import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check this machine from systemd unit to SD card, with a fix for each problem.",
    discussion: """
      Only reads, and is safe at any time, also without a running daemon. Each check is ok, warn, fail or unknown. \
      An unknown check says why it could not be made; some need root: sudo hearth doctor.

      Hub: hub, unit and sandbox (whether it runs, by which unit, with which rights). Radio: adapter, slots, \
      connects, bluetoothd, antenna and kernel. Time: clock. Storage: filesystem, card, writes, room and store. \
      Safety: backup. Settings: configuration (whether the hub runs with what its file says). Rights of this user: \
      access. Board: supply and temperature.

      hearth doctor -v     the same, with all figures

      Exit code 0: no problem. 1: a check warns or fails. 3: no daemon answers, and the other checks are made. With \
      --json, "verdict" is the most severe result: ok, warn or fail.
      """)
  @ParentCommand var root: HearthCommand

  func run() throws {
    let session = try Session(root.options)
    let patient = session.patient()
    let examination = Examination(patient)
    let answered = patient.hub.status != nil
    try session.show(
      examination.json(time: patient.machine.now.rfc3339, answered: answered),
      code: examination.exitStatus(patient.hub)
    ) { render(examination, $0, verbose: root.options.verbose) }
  }
}

extension Session {
  /// The file with which the daemon was started; with `--config`, that one.
  func configurationPath(of client: ControlClient?) -> String {
    if let named = options.config { return named }
    return client?.process.flatMap { ConfigurationChecks.path(of: $0, Machine(now: wallNow())) }
      ?? Configuration.defaultPath
  }

  /// Answers of the daemon, and facts about this command.
  func patient() -> Patient {
    let machine = Machine(now: wallNow())
    let hub = answers()
    let daemon = hub.process ?? machine.processes(named: "hearthd").first
    let file = daemon.flatMap { ConfigurationChecks.path(of: $0, machine) }
    return Patient(
      machine: machine, hub: hub, asker: .ofProcess,
      configurationPath: options.config ?? file ?? Configuration.defaultPath,
      storePath: options.store ?? hub.status?.store.path ?? storePath, socketPath: socket)
  }

  /// Answers of the daemon. A refused query leaves its answer out, and the others are still made.
  private func answers() -> HubAnswers {
    var hub = HubAnswers()
    if options.store != nil {
      hub.isLeftAlone = true
      return hub
    }
    do throws(HearthError) {
      let client = try connect()
      hub.process = client.process
      let status = try client.call("Status")["status"] ?? .null
      hub.status = try ControlClient.document(["status": status], "status", "Status")
      hub.wholeStatus = status
      hub.radio = try client.radio().radio
      hub.settings = try client.configShow().settings
      hub.plan = try? client.radioPlan().plan
    } catch { hub.trouble = error }
    return hub
  }
}

extension ControlClient {
  /// Process number of the daemon; nil in another process namespace, for which the kernel reports 0.
  var process: Int32? {
    var peer = hearth_peer()
    return hearth_peer_credentials(wakes, &peer) == 0 && peer.pid > 0 ? peer.pid : nil
  }
}
