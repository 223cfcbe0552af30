// The terminal of a full-screen view. Reads raw keys, writes changed lines, and restores the terminal at every end.
//
// One poll waits for all of these: keys, the daemon, signals, room on the terminal, and the next change of the
// frame by time alone.

import CLinux
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

final class WatchTerminal {
  /// Milliseconds between two repaints: four per second.
  private static let pace: Int64 = 250
  /// Milliseconds between two attempts to reach a daemon that has stopped.
  private static let retry: Int64 = 2000
  /// Milliseconds until a daemon counts as hanging. It sends an empty view every five seconds, so this is three of
  /// them.
  private static let patience: Int64 = 15_000
  /// Milliseconds for the rest of an escape sequence, which follows at once even over SSH. Otherwise the key was
  /// Escape.
  private static let escapeTime: Int64 = 100
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

  private let session: Session
  private var reader: WatchReader
  private var model = WatchModel()
  private var time: HubTime
  private var client: ControlClient?
  private var screen: WatchScreen
  private var size = WatchSize(columns: 80, rows: 24)
  private var before = termios()
  private var mask = sigset_t()
  private var isRaw = false
  private var typed: [UInt8] = []
  private var escapeAt: Int64?
  /// The frame may differ from the screen.
  private var isStale = true
  private var paintedAt: Int64 = -WatchTerminal.pace
  private var countsDown = false
  private var retryAt: Int64 = 0
  private var heardAt: Int64 = 0

  /// - Throws: as `Session.connect`: at the start there has to be a daemon.
  init(_ session: Session, _ reader: WatchReader) throws {
    self.session = session
    self.reader = reader
    screen = WatchScreen(isColoured: Style.ofStandardOutput.isColoured)
    time = session.hubTime(nil)
    try begin()
  }

  func run() throws {
    let events = try catchSignals()
    defer {
      leave()
      close(events)
      sigprocmask(SIG_SETMASK, &mask, nil)
    }
    enter()
    while true {
      var entries = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: events, events: Int16(POLLIN), revents: 0),
        pollfd(fd: client?.wakes ?? -1, events: Int16(POLLIN), revents: 0),
        // A terminal on a slow line gets no frame before it took the last one.
        pollfd(fd: isStale && isPaintDue ? 1 : -1, events: Int16(POLLOUT), revents: 0),
      ]
      let count = poll(&entries, nfds_t(entries.count), timeout())
      if count < 0, errno != EINTR { throw terminalError("poll") }
      if entries[1].revents != 0, let end = takeSignals(events) {
        // The process ends by this signal, as its sender expects.
        leave()
        signal(end, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, end)
        sigprocmask(SIG_UNBLOCK, &set, nil)
        raise(end)
        return
      }
      if entries[2].revents != 0 { try listen() }
      let now = monotonicMilliseconds()
      // A closed terminal reads as the end of input.
      if entries[0].revents != 0, !readKeys(now) { return }
      if let escapeAt, now >= escapeAt, !take(all: true) { return }
      if client == nil, now >= retryAt { try? begin() }
      if client != nil, now - heardAt >= Self.patience { lose() }
      if isFrameOld(now) { isStale = true }
      if entries[3].revents != 0 { try paint(now) }
    }
  }

  // MARK: The daemon

  private func begin() throws {
    retryAt = monotonicMilliseconds() + Self.retry
    let new = try session.connect()
    try new.begin("Watch")
    client = new
    heardAt = monotonicMilliseconds()
  }

  /// - Throws: only errors that a new attempt would not cure, such as a daemon that does not know the method.
  private func listen() throws {
    guard let client else { return }
    do throws(HearthError) {
      for reply in try client.arrived(of: "Watch") {
        let view: ViewDocument = try ControlClient.document(reply, "view", "Watch")
        if model.downSince != nil { model.forget() }
        model.apply(view)
        if let status = view.status { time = session.hubTime(status.clock.zone) }
        isStale = true
        heardAt = monotonicMilliseconds()
      }
    } catch {
      switch error.reason {
      case .daemonDown, .controlTooManyClients, .controlClientTooSlow: lose()
      default: throw error
      }
    }
  }

  private func lose() {
    client = nil
    retryAt = monotonicMilliseconds() + Self.retry
    if model.downSince == nil { model.downSince = wallNow().rfc3339 }
    isStale = true
  }

  // MARK: Time

  private var isPaintDue: Bool { monotonicMilliseconds() - paintedAt >= Self.pace }

  /// Whether time alone may have changed the frame: seconds count down, or a minute has passed.
  private func isFrameOld(_ now: Int64) -> Bool {
    let wall = wallNow()
    return countsDown && now - paintedAt >= 1000
      || time.now.microseconds / 60_000_000 != wall.microseconds / 60_000_000
  }

  private func timeout() -> Int32 {
    let now = monotonicMilliseconds()
    var ends: [Int64] = []
    if isStale { ends.append(paintedAt + Self.pace) }
    if countsDown { ends.append(paintedAt + 1000) }
    if let escapeAt { ends.append(escapeAt) }
    ends.append(client == nil ? retryAt : heardAt + Self.patience)
    ends.append(now + 60_000 - wallNow().microseconds / 1000 % 60_000)
    // While the terminal takes no bytes, wait only until it does.
    let end = isStale && isPaintDue ? ends.filter { $0 > now }.min() ?? now + 1000 : ends.min() ?? now
    return Int32(clamping: max(0, end - now))
  }

  // MARK: The screen

  private func enter() {
    var raw = before
    // Keys come one by one and without an echo. Signals of keys stay, and so does the terminal's handling of a newline.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
    tcsetattr(0, TCSAFLUSH, &raw)
    isRaw = true
    // The alternate screen, without a cursor; lines that are too long do not wrap.
    send("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    measure()
  }

  private func leave() {
    guard isRaw else { return }
    isRaw = false
    send("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(0, TCSADRAIN, &before)
  }

  private func measure() {
    var found = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &found) == 0, found.ws_col > 0, found.ws_row > 0 {
      size = WatchSize(columns: min(1000, Int(found.ws_col)), rows: min(1000, Int(found.ws_row)))
    }
    screen.forget()
    isStale = true
  }

  private func paint(_ now: Int64) throws {
    time = HubTime(zone: time.zone, now: wallNow())
    let made = frame(model, reader, size, time)
    (reader.top, reader.rows, countsDown) = (made.top, made.rows, made.countsDown)
    let text = screen.repaint(made.lines, width: size.columns)
    (isStale, paintedAt) = (false, now)
    if !text.isEmpty { send(text) }
  }

  /// Writes bytes; a closed terminal is detected by the end of its input.
  private func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  private func terminalError(_ what: String) -> HearthError {
    HearthError(.terminalMissing, "\(what): \(String(cString: strerror(errno)))")
  }

  // MARK: Keys and signals

  /// Returns false at the end of the view.
  private func readKeys(_ now: Int64) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(0, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return true }
    if count <= 0 { return false }
    typed += bytes.prefix(count)
    return take(all: false, now)
  }

  private func take(all: Bool, _ now: Int64 = 0) -> Bool {
    for key in WatchKey.take(from: &typed, all: all) where !reader.take(key, model) { return false }
    escapeAt = typed.isEmpty ? nil : now + Self.escapeTime
    // Keys are answered at once: people type slower than four times a second.
    isStale = true
    return true
  }

  private func catchSignals() throws -> Int32 {
    if tcgetattr(0, &before) != 0 { throw terminalError("standard input") }
    var set = sigset_t()
    sigemptyset(&set)
    for number in Self.signals { sigaddset(&set, number) }
    sigprocmask(SIG_BLOCK, &set, &mask)
    let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    if descriptor < 0 {
      sigprocmask(SIG_SETMASK, &mask, nil)
      throw terminalError("signalfd")
    }
    return descriptor
  }

  /// The signal that ends the view, if there is one.
  private func takeSignals(_ descriptor: Int32) -> Int32? {
    var info = signalfd_siginfo()
    while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
      switch Int32(bitPattern: info.ssi_signo) {
      case SIGWINCH: measure()
      case SIGTSTP:
        leave()
        // Stops here, and continues when the shell resumes it.
        raise(SIGSTOP)
        enter()
      case SIGCONT:
        // Also after a stop that cannot be caught: the shell may have changed the terminal.
        leave()
        enter()
      case let end: return end
      }
    }
    return nil
  }
}
