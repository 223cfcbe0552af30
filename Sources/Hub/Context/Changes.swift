// How components tell each other what changed, without knowing each other.

import Bluetooth
import EventLoop
import Reasons

/// Something that another component may have to act on.
enum Change {
  /// What people are shown may be another. Told once in a turn of the loop, however often it is raised.
  case shown
  /// A visit did what it was for.
  case visitDone
  /// Who may have the lane now may be another.
  case lane
  /// A wearable said that it holds something new.
  case announced(EnrolledWearable)
  /// Somebody began to wait for a wearable.
  case awaited(EnrolledWearable)
  /// Live values stayed beyond a limit, or are back inside.
  case alerted(EnrolledWearable, [AlertSign])
  /// A live link is of no use any more.
  case useless(EnrolledWearable, LiveLink, GATTError)
  /// A wearable has nothing more to tell over a live link.
  case drained(EnrolledWearable, LiveLink)
}

/// What happened to a link.
enum LinkNews {
  /// The wearable has another link, or none.
  case changed
  /// It may be wanted more awake, or less.
  case used
  /// Its session is free again.
  case freed
  /// It is of use now.
  case settled(HubLink)
  /// A visit over it is over, and it stays.
  case kept(HubLink)
  /// It is closed.
  case closed
}

/// The line on which changes are told. Everything but `shown` is told before `raise` returns: the order of what follows
/// matters.
@LoopActor
final class Changes {
  private let loop: any Loop
  private var listeners: [@LoopActor (Change) -> Void] = []
  /// Told of everybody who was heard and is not enrolled; nil: nobody wants to know. A line of its own, as a busy
  /// street is some hundred advertisements a second.
  var onStranger: (@LoopActor (BluetoothAddress) -> Void)?
  /// Told of what is worth an event. A line of its own, as nobody acts on it.
  var onHappening: (@LoopActor (Happening) -> Void)?
  /// Told of links, at once. A line of its own, as it belongs to few.
  var onLink: (@LoopActor (EnrolledWearable, LinkNews) -> Void)?
  /// Told of each try that was of no use, with whether what people asked of the wearable waits no longer.
  var onFailed: (@LoopActor (EnrolledWearable, HearthError, _ isGivenUp: Bool) -> Void)?
  private var isShownDue = false
  /// Told of every change, without which one it is, until they are forgotten.
  private var subscribers: [Int: @LoopActor () -> Void] = [:]
  private var lastToken = 0

  init(_ loop: any Loop) { self.loop = loop }

  /// Listeners are told in the order in which they came, and never end.
  func listen(_ listener: @escaping @LoopActor (Change) -> Void) { listeners.append(listener) }

  func link(of wearable: EnrolledWearable, _ news: LinkNews) { onLink?(wearable, news) }

  func happened(_ happening: Happening) { onHappening?(happening) }

  func raise(_ change: Change) {
    guard case .shown = change else { return tell(change) }
    if isShownDue { return }
    isShownDue = true
    loop.schedule(after: .zero) { [weak self] in self?.settle() }
  }

  /// Tells now what would be told at the end of the turn.
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
