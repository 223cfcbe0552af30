// What a radio knows about itself, and what is done to keep it alive.

public import EventLoop
public import Reasons

/// What a radio knows about itself, for the status document.
public struct RadioFacts: Sendable, Equatable {
  /// For example "hci0", "simulated".
  public var adapter: String
  public var address: BluetoothAddress?
  /// For example "USB", "UART", "virtual".
  public var bus: String
  /// Links the kernel reports at this moment, whoever made them.
  public var links: Int
  /// How many links the controller is believed to carry.
  public var slots: Int
  /// One more slot comes within seconds, if what was made lately holds: nobody need give up a link for whoever waits.
  public var isClimbing = false
  public var isScanning: Bool
  /// Things that are not wrong enough to stop serving, such as a running bluetoothd.
  public var warnings: [HearthError]
  /// Named event counters, in a fixed order.
  public var counters: [(name: String, value: UInt64)]
  public var care = RadioCare()
  /// Each adapter by itself, where there are several; else none.
  public var adapters: [AdapterFacts] = []

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
      && a.adapters == b.adapters
      && a.counters.elementsEqual(b.counters, by: ==)
  }
}

/// One of several adapters.
public struct AdapterFacts: Sendable, Equatable {
  public var state: RadioState
  /// Its `adapters` are empty.
  public var facts: RadioFacts

  public init(state: RadioState, facts: RadioFacts) {
    self.state = state
    self.facts = facts
  }
}

/// What is done to keep the radio alive.
public struct RadioCare: Sendable, Equatable {
  /// Where a slot limit comes from.
  public enum SlotSource: String, Sendable { case standard, configured, learned }
  public var slotSource = SlotSource.standard
  /// The rung that is being tried, or was tried last; nil if none since start.
  public var rung: String?
  /// The ladder is at work at this moment.
  public var isRecovering = false
  public var lastRecovery: Instant?
  /// Rungs in the order in which they are tried, and how often each was since start.
  public var rungs: [(name: String, count: UInt64)] = []
  /// When something was last heard.
  public var lastHeard: Instant?
  /// Actual parameters of links can be observed (CAP_NET_RAW).
  public var observesLinks = false
  /// The kernel can change a live link.
  public var updatesLiveLinks = false

  public init() {}

  public static func == (a: RadioCare, b: RadioCare) -> Bool {
    a.slotSource == b.slotSource && a.rung == b.rung && a.isRecovering == b.isRecovering
      && a.lastRecovery == b.lastRecovery
      && a.lastHeard == b.lastHeard && a.observesLinks == b.observesLinks && a.updatesLiveLinks == b.updatesLiveLinks
      && a.rungs.elementsEqual(b.rungs, by: ==)
  }
}
