// Content of full-screen views (`Watch`): everything once, then changes.
//
// A single feed serves all views. At each look at the hub, changed parts get a new revision. Each view then receives
// what is newer than its own. The feed looks when the hub reports a change, and otherwise now and then. Without views
// it is idle.

internal import EventLoop
internal import Health
internal import HubProtocol
internal import Reasons

@LoopActor
final class WatchFeed {
  /// Pause between two looks: four repaints a second are as much as a person can read.
  nonisolated static let pace: Duration = .milliseconds(250)
  /// Bytes and percents of a running visit come without a word of the hub.
  nonisolated static let paceOfVisit: Duration = .milliseconds(500)
  /// Interval of heart rates.
  nonisolated static let paceOfLive: Duration = .seconds(1)
  /// Pause for everything else that comes without a word: batteries, signals, figures of the store, the minute.
  nonisolated static let paceOfRest: Duration = .seconds(5)
  /// A view without news for this long gets an empty message. Longer silence means that the hub hangs.
  nonisolated static let silence = paceOfRest
  /// Time that a view may leave a reply unread.
  nonisolated static let patience: Duration = .seconds(30)
  /// Visits and events of a view: more than a screen has lines for.
  nonisolated static let listed = 20

  private struct View {
    let connection: ControlConnection
    /// The newest revision that it was sent.
    var revision: UInt64 = 0
    var sentAt: Instant?
    var unreadSince: Instant?
  }

  private unowned let server: ControlServer
  private var views: [View] = []
  private var seen = WatchSeen()
  private var subscription: Int?
  private var timer: (id: LoopTimer, at: Instant)?
  private var lastLook: Instant?
  private(set) var looks = 0

  init(_ server: ControlServer) { self.server = server }

  /// The complete state, for a client that asks once.
  func whole() -> ViewDocument {
    var all = WatchSeen()
    all.look(at: server)
    return all.view(since: 0)
  }

  func add(_ connection: ControlConnection) {
    if views.isEmpty {
      seen = WatchSeen()
      subscription = server.service.subscribeChanges { [weak self] in self?.lookSoon() }
    }
    views.append(View(connection: connection))
    look()
  }

  func remove(_ connection: ControlConnection) {
    views.removeAll { $0.connection === connection }
    if !views.isEmpty { return }
    if let subscription { server.service.unsubscribeChanges(subscription) }
    subscription = nil
    if let timer { server.loop.cancel(timer.id) }
    timer = nil
    lastLook = nil
    seen = WatchSeen()
  }

  private func lookSoon() {
    guard let lastLook else { return }
    schedule(at: max(server.loop.now, lastLook + Self.pace))
  }

  private func schedule(at time: Instant) {
    if let timer {
      if timer.at <= time { return }
      server.loop.cancel(timer.id)
    }
    let id = server.loop.schedule(at: time) { [weak self] in
      self?.timer = nil
      self?.look()
    }
    timer = (id, time)
  }

  private func look() {
    looks += 1
    let now = server.loop.now
    lastLook = now
    seen.look(at: server)
    // Views at the same revision, which is nearly always all of them, share one message.
    var made: (since: UInt64, message: [UInt8])?
    var tooSlow: [ControlConnection] = []
    for index in views.indices {
      let connection = views[index].connection
      if connection.hasUnsent {
        let since = views[index].unreadSince ?? now
        views[index].unreadSince = since
        if now - since >= Self.patience { tooSlow.append(connection) }
        continue
      }
      views[index].unreadSince = nil
      let isQuiet = views[index].sentAt.map { now - $0 < Self.silence } ?? false
      if isQuiet, views[index].revision == seen.revision { continue }
      let since = views[index].revision
      if made?.since != since {
        made = (since, ControlServer.message(["view": JSON(encoding: seen.view(since: since))], continues: true))
      }
      if let made { connection.send(made.message) }
      (views[index].revision, views[index].sentAt) = (seen.revision, now)
    }
    for connection in tooSlow {
      server.noteSlow(connection)
      connection.close()
    }
    schedule(at: now + (seen.isVisiting ? Self.paceOfVisit : seen.isLive ? Self.paceOfLive : Self.paceOfRest))
  }
}

extension HubInterface {
  func watch(_ parameters: Methods.Watch.Parameters) async -> Methods.Watch.Reply? {
    if !call.more { return .init(view: server.feed.whole()) }
    server.feed.add(connection)
    await connection.ended()
    server.feed.remove(connection)
    return nil
  }
}
