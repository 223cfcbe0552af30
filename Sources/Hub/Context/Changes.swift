// Notifications between components that do not know each other.

import Bluetooth
import EventLoop
import Reasons

/// Change that another component may have to act on.
enum Change {
  /// The state that people are shown may have changed. Sent once in a turn of the loop, however often it is raised.
  case shown
  /// A visit reached its purpose.
  case visitDone
  /// The choice of the next wearable for the lane may have changed.
  case lane
  /// A wearable reported that it holds new data.
  case announced(EnrolledWearable)
  /// A caller began to wait for a wearable.
  case awaited(EnrolledWearable)
  /// Live values stayed beyond a limit, or are within it again.
  case alerted(EnrolledWearable, [AlertSign])
  /// A live link became useless.
  case useless(EnrolledWearable, LiveLink, GATTError)
  /// A wearable has sent all that it had over a live link.
  case drained(EnrolledWearable, LiveLink)
}

/// Events of a link.
enum LinkNews {
  /// The wearable has another link, or no link.
  case changed
  /// The profile that the link needs may have changed.
  case used
  /// The link's session is free again.
  case freed
  /// The link is ready for use.
  case settled(HubLink)
  /// A visit over the link ended, and the link stays.
  case kept(HubLink)
  /// The link is closed.
  case closed
}

/// Notifies components of changes. All but `shown` are delivered before `raise` returns, as the order of what follows
/// matters.
@LoopActor
final class Changes {
  private let loop: any Loop
  private var listeners: [@LoopActor (Change) -> Void] = []
  /// Called for every advertiser that is not enrolled; nil: not wanted. A separate callback, as a busy street has some
  /// hundred advertisements a second.
  var onStranger: (@LoopActor (BluetoothAddress) -> Void)?
  /// Called for happenings that may become events. A separate callback, as no component acts on them.
  var onHappening: (@LoopActor (Happening) -> Void)?
  /// Called for changes of links, at once. A separate callback, as only few components need it.
  var onLink: (@LoopActor (EnrolledWearable, LinkNews) -> Void)?
  /// Called for each failed try, with whether the requests for this wearable are given up.
  var onFailed: (@LoopActor (EnrolledWearable, HearthError, _ isGivenUp: Bool) -> Void)?
  private var isShownDue = false
  /// Called for every change, without its kind, until they unsubscribe.
  private var subscribers: [Int: @LoopActor () -> Void] = [:]
  private var lastToken = 0

  init(_ loop: any Loop) { self.loop = loop }

  /// Adds a listener. Listeners are called in the order of their addition, and stay for ever.
  func listen(_ listener: @escaping @LoopActor (Change) -> Void) { listeners.append(listener) }

  func link(of wearable: EnrolledWearable, _ news: LinkNews) { onLink?(wearable, news) }

  func happened(_ happening: Happening) { onHappening?(happening) }

  func raise(_ change: Change) {
    guard case .shown = change else { return tell(change) }
    if isShownDue { return }
    isShownDue = true
    loop.schedule(after: .zero) { [weak self] in self?.settle() }
  }

  /// Delivers now what would be delivered at the end of the loop's turn.
  func settle() {
    guard isShownDue else { return }
    isShownDue = false
    tell(.shown)
  }

  func subscribe(_ subscriber: @escaping @LoopActor () -> Void) -> Int {
    lastToken += 1
    subscribers[lastToken] = subscriber
    return lastToken
  }

  func unsubscribe(_ token: Int) { subscribers[token] = nil }

  private func tell(_ change: Change) {
    for listener in listeners { listener(change) }
    for subscriber in subscribers.values { subscriber() }
  }
}
