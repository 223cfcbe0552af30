// `hearth update`: the running version, an update, and a rollback. The package's own script (board/hearth-update)
// judges every upgrade and goes back, however it was installed.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments
import Updates

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Show the hub's version; update it, or roll back to the one before.",
    discussion: """
      After every upgrade, also by apt or unattended-upgrades, the hub must serve within two minutes and for half a \
      minute. The radio must be ready if it was before. Otherwise the package before is installed again \
      automatically. Then the HUB LED is on for 3 s and off for 1 s, and hearth shows H8060. Acknowledge that with \
      the command hearth update dismiss. apt leaves a failed version alone and takes a later one.

      hearth update                   versions and the last result
      sudo hearth update apply        install the newest version
      sudo hearth update rollback     install the one before
      """,
    subcommands: [Show.self, Apply.self, Rollback.self, Dismiss.self, Judge.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show installed, running, available and kept versions, and the last result.",
      discussion: """
        Exit code 0: fine. 1: the last update failed and is not acknowledged.

        hearth update status
        """)
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let state = UpdateState.look(session)
      let time = session.hubTime(nil)
      try session.show(state.json, code: state.record?.trouble == nil ? 0 : 1) { state.text($0) { time.text($0) } }
    }
  }

  struct Apply: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install the newest version from apt, or a package file, and wait until it serves.",
      discussion: """
        For root. The package before is kept, and is installed again if the new one does not serve. For a newer \
        store format the hub copies its store before it converts it. If there is no room for the copy, the new \
        version does not start, and the hub goes back. Changes that people made to the configuration stay.

        sudo hearth update apply

        Exit code 0: it serves. 1: it does not and went back (H8060), or the update was not done (H8062). 4: not \
        root.
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "A package file. Without one: the newest version in apt.", completion: .file(extensions: ["deb"]))
    var file: String?

    @Flag(help: "Also a version that failed here, or that was rolled back.")
    var again = false

    func run() throws {
      try requireRoot("hearth update apply")
      let session = try Session(root.options)
      if again { unlink(UpdateState.pin) }
      let before = UpdateState.look(session)
      var words = [
        "apt-get", "-y", "-q", "--allow-downgrades", "-o", "Dpkg::Options::=--force-confold", "-o",
        "DPkg::Lock::Timeout=600", "install",
      ]
      if let file {
        guard let name = UpdateChild.answer(["dpkg-deb", "-f", file, "Package"]), name.hasPrefix("hearth\n") else {
          throw HearthError(.updateNotDone, "\(harmless(file, limit: 256)) is no package of the hub")
        }
        // apt takes a word with a slash as a file.
        words.append(file.contains("/") ? file : "./\(file)")
      } else {
        _ = UpdateChild.run(["apt-get", "-q", "update"])
        if !UpdateState.look(session).hasNewer {
          return try session.show(["schema": "io.hearth.update/1", "done": false]) { _ in
            line("no newer version is available than \(before.installed ?? "the one that runs")")
          }
        }
        words.append("hearth")
      }
      let status = UpdateChild.run(words)
      let after = UpdateState.look(session)
      if status != 0 { throw HearthError(.updateNotDone, "apt-get ended with status \(status)") }
      if after.installed == before.installed {
        return try session.show(["schema": "io.hearth.update/1", "done": false]) { _ in
          line("\(after.installed ?? "it") is what was installed before")
        }
      }
      try session.tell(outcome: try UpdateWait.verdict())
    }
  }

  struct Rollback: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install the package before again, now.",
      discussion: """
        For root. apt leaves this version alone from then on, and takes a later one. Samples stay. If the store was \
        converted to a newer format, the copy from before is used. Samples since then are beside it in a folder \
        named converted-TIME, which hearth --store FOLDER export of the later version reads.

        sudo hearth update rollback
        """)
    @ParentCommand var root: HearthCommand

    func run() throws {
      try requireRoot("hearth update rollback")
      let session = try Session(root.options)
      switch UpdateChild.run([UpdateState.helper, "back"]) {
      case 0: try session.tell(outcome: UpdateState.record())
      case 5, 127: throw HearthError(.updateNotKept, "no earlier package is kept, or the last update ended otherwise")
      default: throw UpdateState.record()?.trouble ?? HearthError(.updateNotDone, "the package was not installed")
      }
    }
  }

  struct Dismiss: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Acknowledge a failed update and clear its warning.",
      discussion: """
        For root. LEDs and command line then no longer show the failure.

        sudo hearth update dismiss
        """)
    @ParentCommand var root: HearthCommand

    func run() throws {
      try requireRoot("hearth update dismiss")
      if UpdateChild.run([UpdateState.helper, "dismiss"]) != 0 {
        throw HearthError(.updateNotDone, "\(UpdateState.helper) did not take it")
      }
    }
  }

  /// Command for hearth-update: exit code 0 for a hub that serves, 10 for one that does not, 11 if it is undecided. One
  /// line has the reason. Any other exit code means that this program does not run.
  struct Judge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Judge whether the hub serves after its update.", shouldDisplay: false)
    @ParentCommand var root: HearthCommand

    @Option(help: "Folder of the record of the update.")
    var folder = UpdateRecord.folder

    @Option(help: "Seconds within which it must begin to serve.")
    var patience = Int(UpdateTrial.patience.inSeconds)

    @Option(help: "Seconds for which it must then serve.")
    var steady = Int(UpdateTrial.steady.inSeconds)

    func run() throws {
      let session = try Session(root.options)
      let judge = UpdateJudge(
        socket: session.socket, folder: folder, patience: .seconds(patience), steady: .seconds(steady))
      let (code, words): (Int32, String) =
        switch judge.judge() {
        case .good(let words): (0, words)
        case .bad(let words): (10, words)
        case .undecided(let words): (11, words)
        case .waiting: (11, "no verdict")
        }
      try Output.standard.write(words + "\n")
      if code != 0 { throw ExitCode(code) }
    }
  }
}

private func requireRoot(_ command: String) throws(HearthError) {
  if geteuid() != 0 { throw HearthError(.controlNotAllowed, "\(command) installs packages: it is for root") }
}

/// Waits for the verdict of hearth-update-watch.service.
enum UpdateWait {
  /// Seconds: two minutes of trial, the way back, and a package manager that may be busy.
  private static let limit = 3600

  static func verdict() throws -> UpdateRecord? {
    // Without systemd, the judge has to be started here.
    if access("/run/systemd/system", F_OK) != 0 { _ = UpdateChild.run([UpdateState.helper, "watch"]) }
    Output.error.say("hearth: waiting until the hub serves, two minutes at most\n")
    for _ in 0..<limit {
      let record = UpdateState.record()
      guard record?.verdict == .open || record?.verdict == .returning else { return record }
      if access("/run/systemd/system", F_OK) != 0 { return record }
      sleep(1)
    }
    return UpdateState.record()
  }
}

extension Session {
  /// - Throws: the trouble of a failed update.
  fileprivate func tell(outcome record: UpdateRecord?) throws {
    if let trouble = record?.trouble { throw trouble }
    let state = UpdateState.look(self)
    try show(state.json) { style in
      let words = record.map { "\(harmless($0.to, limit: 80)): \($0.words)" } ?? "installed"
      return line(style.good(words)) + line("installed: \(state.installed ?? "no package")")
    }
  }
}
