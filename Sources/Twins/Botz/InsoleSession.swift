// Recording session: its file, its live records, its metrics; and the streams of pressure and orientation.

import Bluetooth
import EventLoop

/// Running session. Records are computed on demand, so a walking wearer causes no events.
struct InsoleSession {
  let id: UInt8
  /// Whether the file could be opened.
  let hasFile: Bool
  let seed: UInt64
  private var spans: [(from: Instant, to: Instant?)]
  /// A command has stopped the sensors, while the status is unchanged.
  var isStuck = false

  init(id: UInt8, hasFile: Bool, seed: UInt64, at now: Instant) {
    self.id = id
    self.hasFile = hasFile
    self.seed = seed
    spans = [(now, nil)]
  }

  mutating func pause(at now: Instant) { if spans[spans.count - 1].to == nil { spans[spans.count - 1].to = now } }
  mutating func resume(at now: Instant) { if spans[spans.count - 1].to != nil { spans.append((now, nil)) } }

  /// Whether the wearer moves, which makes a record per second. In each period of three minutes they stand for the last
  /// 15 s.
  private func moves(_ second: Int64) -> Bool { second % 180 < 165 }

  func seconds(_ now: Instant) -> Int64 {
    spans.reduce(0) { $0 + (($1.to ?? now) - $1.from).wholeNanoseconds / 1_000_000_000 }
  }

  /// Number of records so far.
  func count(at now: Instant) -> UInt32 {
    var count: UInt32 = 0
    for second in 0..<max(0, seconds(now)) where moves(second) { count += 1 }
    return count
  }

  /// Records so far, as the file has them.
  func records(until now: Instant, _ clock: InsoleClock) -> [UInt8] {
    var bytes: [UInt8] = []
    var number: UInt32 = 0
    var second: Int64 = 0
    for span in spans {
      var moment = span.from
      let end = span.to ?? now
      while end - moment >= .seconds(1) {
        moment = moment + .seconds(1)
        if moves(second) {
          InsoleFormat.append(record: number, at: clock.epoch(at: moment), session: seed, to: &bytes)
          number += 1
        }
        second += 1
      }
    }
    return bytes
  }
}

extension VirtualInsole {
  /// Opens a file and records into it, as start 1 does.
  public func startSession() {
    let now = world.loop.now
    let id = memory.nextID
    let fits = memory.room >= InsoleFormat.headerSize + InsoleFormat.footerSize
    clock.forget(before: now)
    let header = InsoleFormat.header(start: clock.epoch(at: now))
    if fits { memory.open(id, header: header) } else { errorBits |= 1 | 1 << 21 }
    session = InsoleSession(id: id, hasFile: fits, seed: random.next(), at: now)
    change(to: .running)
    set(.info(0xCD), header + [0, 0, 0])
    world.loop.schedule(after: .milliseconds(100)) { [weak self] in self?.notify(.info(0xCD), header + [0, 0, 0]) }
    armRecords()
  }

  /// Closes the file, as stop 1 does: writes records and footer, then announces it. Any of the three may be lost.
  public func stopSession() {
    guard let session else { return }
    let now = world.loop.now
    self.session = nil
    if let recordTimer { world.loop.cancel(recordTimer) }
    recordTimer = nil
    change(to: .idle)
    guard session.hasFile else {
      // A file that could not be opened is announced all the same, as an empty value.
      announcement = (0, "")
      return notify(.info(0xC2), [0], isAnnouncement: true)
    }
    let records = session.records(until: now, clock)
    memory.append(records, to: session.id)
    let footer = InsoleFormat.footer(end: clock.epoch(at: now), count: UInt32(records.count / InsoleFormat.recordSize))
    memory.append(footer, to: session.id)
    memory.close(session.id, at: now)
    if memory.room == 0 { errorBits |= 1 | 1 << 21 }
    announcement = (session.id, InsoleSMP.path(session.id))
    let path = Array(announcement.path.utf8)
    let padded = path + [UInt8](repeating: 0, count: 34 - path.count)
    set(.info(0xCF), footer)
    world.loop.schedule(after: .milliseconds(300)) { [weak self] in
      self?.notify(.info(0xCF), footer, isAnnouncement: true)
    }
    world.loop.schedule(after: .milliseconds(600)) { [weak self] in
      self?.notify(.info(0xC2), [session.id], isAnnouncement: true)
    }
    world.loop.schedule(after: .milliseconds(700)) { [weak self] in
      self?.notify(.info(0xC3), padded, isAnnouncement: true)
    }
  }

  /// Creates the files of a scenario: sessions of the past, with the clock of a hub that had set it.
  func fill(_ files: InsoleTraits.Files) {
    switch files {
    case .none: break
    case .sessions(let lengths): train(lengths)
    case .lastIDTaken:
      memory.put(1, closedFile(60), at: world.loop.now)
      memory.put(255, closedFile(60), at: world.loop.now)
    case .crashed:
      memory.put(1, InsoleFormat.header(start: UInt32(truncatingIfNeeded: InsoleClock.bootEpoch)), at: world.loop.now)
    case .cut: memory.put(1, Array(closedFile(120).dropLast(33)), at: world.loop.now)
    }
  }

  /// Adds a closed file for each training with these lengths in seconds, after the existing ones, as far as there are
  /// numbers.
  public func train(_ lengths: [Int]) {
    for seconds in lengths.prefix(255 - Int(memory.highestID)) {
      memory.put(memory.nextID, closedFile(seconds), at: world.loop.now)
    }
    announceAtBoot()
  }

  /// A closed session that ended some time ago.
  private func closedFile(_ seconds: Int) -> [UInt8] {
    let end =
      UInt32(truncatingIfNeeded: world.loop.wall.microseconds / 1_000_000) &- UInt32(3600 + random.below(86_400))
    let start = end &- UInt32(seconds)
    var bytes = InsoleFormat.header(start: start)
    bytes.reserveCapacity(bytes.count + seconds * InsoleFormat.recordSize + InsoleFormat.footerSize)
    let seed = random.next()
    for number in 0..<UInt32(max(0, seconds)) {
      InsoleFormat.append(record: number, at: start &+ number &+ 1, session: seed, to: &bytes)
    }
    return bytes + InsoleFormat.footer(end: end, count: UInt32(max(0, seconds)))
  }

  // MARK: Live values

  /// Schedules live records while a hub is subscribed.
  func armRecords() {
    guard recordTimer == nil, session != nil, state == .running, isSubscribed(.info(0xCE)) else { return }
    recordTimer = world.loop.schedule(after: .seconds(1)) { [weak self] in
      guard let self, let session else { return }
      recordTimer = nil
      let count = session.count(at: world.loop.now)
      if count > 0, !session.isStuck {
        var record: [UInt8] = []
        InsoleFormat.append(record: count - 1, at: clock.epoch(at: world.loop.now), session: session.seed, to: &record)
        set(.info(0xCE), record)
        notify(.info(0xCE), record, isRecord: true)
      }
      armRecords()
    }
  }

  /// Updates cadence, pace and derived values for the present second.
  func refreshMetrics() {
    guard let session, state == .running else { return }
    let seconds = UInt32(clamping: session.seconds(world.loop.now))
    set(.metric(0x91), [164, 0])
    set(.metric(0x98), [0x4A, 0x01])
    set(.metric(0x99), littleEndian(seconds * 3))
    set(.metric(0xB2), littleEndian(seconds << 8 | 0x5A))
    set(.metric(0x97), littleEndian(seconds * 164 / 60) + [0, 0, 0, 0])
  }

  /// Schedules pressure about 2.5 times a second and orientation 5 times. Needs a stream in the status, a subscription,
  /// and no recording.
  func armStreams() {
    guard streamTimer == nil, state.isStream, session == nil || stateBeforePause == .running,
      isSubscribed(.info(0xAF)) || isSubscribed(.info(0xB2))
    else { return }
    streamTimer = world.loop.schedule(after: .milliseconds(200)) { [weak self] in
      guard let self else { return }
      streamTimer = nil
      let milliseconds = UInt32(truncatingIfNeeded: uptime.wholeNanoseconds / 1_000_000)
      if state == .orientation || state == .both {
        // At rest, the right foot only: x 0, y 0, z 0, w 1.
        streamValuesSent += 1
        notify(
          .info(0xB2), littleEndian(milliseconds) + [0, 0, 0, 0, 0, 0, 0x10, 0x27] + [UInt8](repeating: 0, count: 8))
      }
      if state == .foot || state == .both, milliseconds / 200 % 2 == 0 {
        var value = littleEndian(milliseconds)
        for channel in 0..<8 {
          value.append(littleEndian: UInt16((milliseconds / 100 + UInt32(channel) * 512) & 0x3FFF))
        }
        streamValuesSent += 1
        notify(.info(0xAF), value + [UInt8](repeating: 0, count: 16))
      }
      armStreams()
    }
  }

  private func isSubscribed(_ place: InsolePlace) -> Bool {
    guard link != nil, let handle = database.handle(place) else { return false }
    return server.subscription(at: handle) & 1 != 0
  }
}
