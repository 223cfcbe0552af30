// File transfer: requests and queries of the host, one at a time, and the answers.

import Bluetooth
import EventLoop
import PolarMessages

extension VirtualPolar {
  enum Code {
    static let success = 0, rebooting = 1, invalidCommand = 101, invalidParameter = 102, noSuchFile = 103,
      notPermitted = 106
    static let unidentified = 200, notImplemented = 201, busy = 202, diskFull = 205
  }

  /// Answer that is being sent.
  struct Answer {
    var packets: [[UInt8]]
    /// File that it serves.
    var path: String?
    var size = 0
    /// Moment for which it reports the clock.
    var clockAt: Instant?
    var next = 0
    var delivered = 0
    /// Whether one of its packets was lost on the way.
    var isDamaged = false
    let number: UInt64
  }

  /// Packets of an answer in flight at once: the buffers of a small controller.
  private static let window = 6

  /// Handles a packet on the transfer characteristic.
  func takePacket(_ packet: [UInt8]) {
    if packet == PolarAir.cancel {
      incoming.reset()
      sending = nil
      cancellations += 1
      return
    }
    // A request cancels the answer in progress.
    sending = nil
    switch incoming.take(packet) {
    case .more: break
    case .broken: reply(code: Code.unidentified)
    case .message(let message): act(message)
    }
  }

  private func act(_ message: [UInt8]) {
    if traits.conduct == .silentFiles { return }
    guard message.count >= 2 else { return reply(code: Code.invalidCommand) }
    let number = Int(message[0]) | Int(message[1] & 0x7F) << 8
    if message[1] & 0x80 != 0 {
      log("query \(number)")
      return query(number, Array(message.dropFirst(2)))
    }
    guard message.count >= 2 + number, let operation = try? PbPFtpOperation(wire: Array(message[2..<2 + number])),
      operation.hasPath
    else {
      return reply(code: Code.invalidCommand)
    }
    log("\(operation.command) \(operation.path)")
    if isBusy { return replyBusy() }
    perform(operation.command, operation.path, Array(message[(2 + number)...]))
  }

  private func perform(_ command: PbPFtpOperation.Command, _ path: String, _ content: [UInt8]) {
    guard path.hasPrefix("/") else { return reply(code: Code.invalidParameter) }
    switch command {
    case .get:
      if path.hasPrefix("/REST/") { return restGet(path) }
      // Recordings continue during a listing.
      if path == "/PMDFILES.TXT" || path.hasSuffix("/") { writeRecordings() }
      if path.hasSuffix("/") { return list(path) }
      guard let file = files[path] else { return reply(code: Code.noSuchFile) }
      reply(file.bytes, serving: path)
    case .put:
      if path.hasPrefix("/REST/") { return restPut(path) }
      if path.hasSuffix("/") { return reply(code: Code.notPermitted) }
      guard files.free + (files[path]?.bytes.count ?? 0) >= content.count else { return reply(code: Code.diskFull) }
      if let before = files[path]?.bytes { noteChanges(path, from: before, to: content) }
      files.put(path, content, isWhole: path != Self.settingsPath)
      puts.append((path, content))
      if path == Self.settingsPath { awaitChange() }
      reply(code: Code.success)
    case .merge: reply(code: Code.notImplemented)
    case .remove: remove(path)
    }
  }

  private func list(_ path: String) {
    guard let entries = files.list(path) else { return reply(code: Code.noSuchFile) }
    var directory = PbPFtpDirectory()
    directory.entries = entries.map { entry in
      var message = PbPFtpEntry()
      message.name = entry.name
      message.size = UInt64(entry.size)
      return message
    }
    if traits.conduct == .directoryLoop {
      var loop = PbPFtpEntry()
      loop.name = path == "/" ? "U/" : "20240517/"
      loop.size = 0
      directory.entries.append(loop)
    }
    reply((try? directory.wire()) ?? [])
  }

  private func remove(_ path: String) {
    // A file that is being written is not removed, nor a directory that contains it.
    let directory = path.hasSuffix("/") ? path : path + "/"
    if recordings.values.contains(where: { $0.folder.hasPrefix(directory) || path.hasPrefix($0.folder + $0.name) }) {
      removalsOfRunning.append(path)
      return reply(code: Code.notPermitted)
    }
    guard files[path] != nil || files.list(directory) != nil else { return reply(code: Code.noSuchFile) }
    removals.append(path)
    let whole = files.covered(by: path).filter(\.isWhole)
    if !whole.isEmpty { world.onErase?(self, whole.map { ($0.path, [$0.bytes]) }) }
    if traits.conduct != .keepsWhatIsRemoved { _ = files.remove(path) }
    writeRecordings()
    reply(code: Code.success)
  }

  // MARK: Answers

  func replyBusy() {
    busyAnswers += 1
    reply(code: Code.busy)
  }

  func reply(code: Int) { send(Answer(packets: [PolarAir.status(code)], number: nextAnswer())) }

  func reply(_ content: [UInt8], serving path: String? = nil, clockAt: Instant? = nil) {
    var packets = PolarAir.packets(content, size: server.mtu - 3)
    if traits.conduct == .endlessResponse { packets = packets.map { [$0[0] | 0x06] + $0.dropFirst() } }
    if traits.conduct == .wrongSequence, packets.count > 1 { packets.swapAt(0, 1) }
    send(Answer(packets: packets, path: path, size: content.count, clockAt: clockAt, number: nextAnswer()))
  }

  private func nextAnswer() -> UInt64 {
    answers += 1
    return answers
  }

  private func send(_ answer: Answer) {
    sending = answer
    for _ in 0..<Self.window { sendNextPacket() }
  }

  func sendNextPacket() {
    guard !isSilent, var answer = sending, answer.next < answer.packets.count, let link, link.isOpen,
      let handle = server.valueHandle(of: PolarUUID.mtu),
      server.subscription(at: handle) & 1 != 0
    else { return }
    let packet = answer.packets[answer.next]
    answer.next += 1
    sending = answer
    if traits.packetLoss > 0, random.chance(traits.packetLoss) {
      return packetEnded(answer.number, wasDelivered: false)
    }
    link.carry(server.notification(at: handle, value: packet), .piece(nextPiece(.packet(answer.number))))
  }

  /// Makes room for the next packet.
  func packetEnded(_ number: UInt64, wasDelivered: Bool) {
    guard var answer = sending, answer.number == number else { return }
    answer.delivered += 1
    if !wasDelivered { answer.isDamaged = true }
    sending = answer
    if answer.delivered == answer.packets.count {
      if let path = answer.path, !answer.isDamaged {
        files.noteServed(path, answer.size, at: world.loop.now)
        noteSummary(path)
      }
      if let moment = answer.clockAt, !answer.isDamaged { clockReadings.append(moment) }
      sending = nil
    } else {
      sendNextPacket()
    }
  }

  // MARK: Notifications

  /// Notifies the host: an id and a message, in as many packets as needed.
  func tell(_ id: UInt8, _ message: [UInt8] = []) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: PolarUUID.d2h),
      server.subscription(at: handle) & 1 != 0
    else { return }
    for packet in PolarAir.packets([id] + message, size: server.mtu - 3) {
      link.carry(server.notification(at: handle, value: packet), .protocolData)
    }
  }

  /// Handles a notification of the host.
  func takeHostNotification(_ packet: [UInt8]) {
    guard case .message(let message) = hostNotification.take(packet), let id = message.first else { return }
    log("notification \(id)")
    switch id {
    case 0:
      isSynchronising = true
      flushDays()
    case 1: isSynchronising = false
    case 2: if let parameters = try? PbPFtpFactoryResetParams(wire: Array(message.dropFirst())) { reset(parameters) }
    case 8: isInSession = true
    case 9: isInSession = false
    default: break
    }
  }

  private func reset(_ parameters: PbPFtpFactoryResetParams) {
    if parameters.doFactoryDefaults {
      files.removeAll()
      if !parameters.otaFwupdate { bond = nil }
    }
    if parameters.sleep { powerOff() } else { reboot() }
  }

  // MARK: REST

  private func restGet(_ path: String) {
    guard traits.hasDays else { return reply(code: Code.noSuchFile) }
    switch path {
    case "/REST/SERVICE.API": reply(Array(#"{"services":{"sleep":"/REST/SLEEP.API"}}"#.utf8))
    case "/REST/SLEEP.API":
      reply(
        Array(
          #"{"events":["sleep_recording_state"],"endpoints":["stop_sleep_recording"],"cmd":{"subscribe":"/REST/SLEEP.API?cmd=subscribe&event=&details=[]","post":"/REST/SLEEP.API?cmd=post&endpoint="},"sleep_recording_state":{"details":["enabled"]}}"#
            .utf8))
    default: reply(code: Code.noSuchFile)
    }
  }

  private func restPut(_ path: String) {
    guard traits.hasDays else { return reply(code: Code.noSuchFile) }
    if path.contains("cmd=subscribe"), path.contains("event=sleep_recording_state") {
      reply(code: Code.success)
      tellSleep()
    } else if path.contains("endpoint=stop_sleep_recording") {
      if isSleeping { sleepEnded = world.loop.now }
      isSleeping = false
      reply(code: Code.success)
      tellSleep()
    } else {
      reply(code: Code.invalidParameter)
    }
  }

  private func tellSleep() {
    // Field 1: the event; field 2: it is not compressed.
    let event = Array(#"{"sleep_recording_state": {"enabled": \#(isSleeping ? 1 : 0)}}"#.utf8)
    tell(18, [0x0A, UInt8(event.count)] + event + [0x10, 0x01])
  }
}
