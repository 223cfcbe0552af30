// Facts that a radio reports about itself, and the measures that keep it alive.

public import EventLoop
public import Reasons

/// Facts of a radio, for the status document.
public struct RadioFacts: Sendable, Equatable {
  /// Name of the adapter, for example "hci0", "simulated".
  public var adapter: String
  /// Address of the adapter; nil: unknown.
  public var address: BluetoothAddress?
  /// Name of the bus, for example "USB", "UART", "virtual".
  public var bus: String
  /// Links that the kernel reports at this moment, whichever process made them.
  public var links: Int
  /// Number of links the controller is believed to carry.
  public var slots: Int
  /// True if one more slot comes within seconds if the newest link lasts. Until then no link need be ended for a
  /// waiting wearable.
  public var isClimbing = false
  /// True while it scans.
  public var isScanning: Bool
  /// Faults that do not stop the radio, such as a running bluetoothd.
  public var warnings: [HearthError]
  /// Named event counters, in a fixed order.
  public var counters: [(name: String, value: UInt64)]
  /// Measures that keep it alive.
  public var care = RadioCare()
  /// Facts of each adapter if there are several; otherwise empty.
  public var adapters: [AdapterFacts] = []
  /// Whether attempts leave one of the adapters without any, so that it receives all advertisements.
  public var listensInTurn = false

  /// Facts of one adapter; `slots` is the number of links that it can have.
  public init(
    adapter: String, address: BluetoothAddress? = nil, bus: String, links: Int = 0, slots: Int,
    isScanning: Bool = false, warnings: [HearthError] = [], counters: [(name: String, value: UInt64)] = []
  ) {
    self.adapter = adapter
    self.address = address
    self.bus = bus
    self.links = links
    self.slots = slots
    self.isScanning = isScanning
    self.warnings = warnings
    self.counters = counters
  }

  public static func == (a: RadioFacts, b: RadioFacts) -> Bool {
    a.adapter == b.adapter && a.address == b.address && a.bus == b.bus && a.links == b.links && a.slots == b.slots
      && a.isScanning == b.isScanning && a.isClimbing == b.isClimbing && a.care == b.care && a.warnings == b.warnings
      && a.adapters == b.adapters && a.listensInTurn == b.listensInTurn
      && a.counters.elementsEqual(b.counters, by: ==)
  }
}

/// State and facts of one of several adapters.
public struct AdapterFacts: Sendable, Equatable {
  /// State of this adapter alone; another one may serve.
  public var state: RadioState
  /// Facts of this adapter; `adapters` is empty.
  public var facts: RadioFacts
  /// Whether it makes links only to wearables that are bonded to it, as configured.
  public var onlyListens: Bool

  /// State and facts of one adapter.
  public init(state: RadioState, facts: RadioFacts, onlyListens: Bool = false) {
    self.state = state
    self.facts = facts
    self.onlyListens = onlyListens
  }
}

/// Measures that keep the radio alive.
public struct RadioCare: Sendable, Equatable {
  /// Origin of a slot limit.
  public enum SlotSource: String, Sendable { case standard, configured, learned }
  /// Origin of the slot limit.
  public var slotSource = SlotSource.standard
  /// The rung being tried, or tried last; nil if the ladder never ran since start.
  public var rung: String?
  /// Whether the ladder is running at this moment.
  public var isRecovering = false
  /// Time of the last recovery, if any.
  public var lastRecovery: Instant?
  /// Rungs in the order in which they are tried, with their number of tries since start.
  public var rungs: [(name: String, count: UInt64)] = []
  /// Time of the last advertisement or other event received.
  public var lastHeard: Instant?
  /// Whether the actual parameters of links can be observed (CAP_NET_RAW).
  public var observesLinks = false
  /// Whether the kernel can change the parameters of an open link.
  public var updatesLiveLinks = false

  /// Creates facts without measures.
  public init() {}

  public static func == (a: RadioCare, b: RadioCare) -> Bool {
    a.slotSource == b.slotSource && a.rung == b.rung && a.isRecovering == b.isRecovering
      && a.lastRecovery == b.lastRecovery
      && a.lastHeard == b.lastHeard && a.observesLinks == b.observesLinks && a.updatesLiveLinks == b.updatesLiveLinks
      && a.rungs.elementsEqual(b.rungs, by: ==)
  }
}
