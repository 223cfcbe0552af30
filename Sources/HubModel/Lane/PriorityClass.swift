// The priority classes of the lane.

/// Priority class: why a wearable has its turn, in the order in which the classes go.
public enum PriorityClass: String, Sendable, CaseIterable, Comparable {
  /// The link was lost a moment ago, and the slot is reserved for it.
  case reserved
  /// The wearable is on for seconds after it measured.
  case shortPresence = "short_presence"
  case asked = "operator"
  /// The wearable was stable, and lost its link.
  case recovering
  /// The wearable was never linked.
  case firstContact = "first_contact"
  /// The wearable delivered data, needs its link and lost it.
  case returning
  case scheduled
  /// The wearable delivered no data in its last try, or its links cost more than they brought.
  case unresponsive

  private var position: Int {
    switch self {
    case .reserved: 0
    case .shortPresence: 1
    case .asked: 2
    case .recovering: 3
    case .firstContact: 4
    case .returning: 5
    case .scheduled: 6
    case .unresponsive: 7
    }
  }

  public static func < (a: PriorityClass, b: PriorityClass) -> Bool { a.position < b.position }
}
