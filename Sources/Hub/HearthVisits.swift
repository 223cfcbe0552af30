// Queries and orders about visits and links of a wearable: its turn, what visits fetch and erase, and pauses.

public import Bluetooth
public import EventLoop
public import Reasons

/// Orders in which `which` is the name or the address of an enrolled wearable.
extension Hearth {
  // MARK: The lane

  /// Wearables that wait for the lane, in order.
  public func laneQueue() -> [QueueSnapshot] { lane.queue() }
  /// The same, with the reasons why each waits.
  public func laneReasons() -> [QueueSnapshot] { lane.reasons() }

  /// Requests a visit that fetches everything, first in the queue. A running visit of this wearable becomes this one; a
  /// visit of another wearable is interrupted. For a live wearable without memory no visit is requested.
  ///
  /// - Throws: `noSuchWearable`; `driverMissing` if no driver of this hub supports the wearable.
  @discardableResult
  public func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot { try lane.visitNow(which) }

  /// Orders a sync of some data or of a range of time; its visit is the next one.
  ///
  /// - Throws:
  ///   - `noSuchWearable`, `driverMissing`;
  ///   - `syncRunning` while another sync of this wearable is under way;
  ///   - `notLinked` for a wearable that is not heard;
  ///   - `requestUnsupported` if its kind has no part of the requested data;
  ///   - `controlBadParameter` for a range that ends before it begins.
  @discardableResult
  public func orderSync(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot {
    try syncs.order(which, request)
  }

  /// Sync that runs on a wearable, or the last one; nil: there was no sync.
  ///
  /// - Throws: `noSuchWearable`.
  public func sync(of which: String) throws(HearthError) -> SyncSnapshot? { try syncs.sync(of: which) }

  // MARK: Results of visits

  /// The newest visits, a running one first.
  ///
  /// - Parameter which: a wearable; nil: all. Of one wearable, only the newest 10,000 visits of the log are searched.
  /// - Throws: `noSuchWearable`, or why the store cannot be read.
  public func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot] {
    try visitQuestions.visits(limit, of: which)
  }

  /// Custody of each item that a wearable holds or held, by id, and its running or last visit.
  ///
  /// - Parameter lastVisitOnly: only items of that visit.
  /// - Throws: `noSuchWearable`, or why the store cannot be read.
  public func custody(
    of which: String, lastVisitOnly: Bool
  ) throws(HearthError) -> (visit: VisitSnapshot?, items: [CustodySnapshot]) {
    try visitQuestions.custody(of: which, lastVisitOnly: lastVisitOnly)
  }

  /// Clock of each enrolled wearable at its last reading, by name.
  ///
  /// - Throws: never: clocks are in memory.
  public func clocks() throws(HearthError) -> [ClockSnapshot] { try visitQuestions.clocks() }
  private var visitQuestions: VisitQuestions { VisitQuestions(context: context, registry: registry, lane: lane) }

  // MARK: Links and presence

  /// Link of a wearable: its profile and parameters as requested, in effect and as reported, with MTU and encryption.
  ///
  /// - Throws: `noSuchWearable`.
  public func link(of which: String) throws(HearthError) -> LinkSnapshot { try profiles.link(of: which) }

  /// Chooses the connection profile of a wearable, across restarts; nil: by policy again. The result shows in
  /// `link(of:)` some seconds later.
  ///
  /// - Parameter byCentral: only the hub sets the parameters, and the wearable's characteristic is not written.
  /// - Throws: `noSuchWearable`, or the store's error; then the choice applies all the same.
  public func setLink(
    _ which: String, profile: LinkProfile?, byCentral: Bool = false
  ) async throws(HearthError) -> LinkSnapshot {
    try await profiles.setLink(which, profile: profile, byCentral: byCentral)
  }

  /// Keeps the link in profile `foreground` while an operator watches a wearable, at most an hour. A chosen profile
  /// goes first. An unknown name has no effect.
  public func watch(_ which: String, for duration: Duration) { profiles.watch(which, for: duration) }

  /// Chooses whether advertised values of a wearable are stored; nil: as configured. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` if its kind advertises no values; or the store's error. After an
  ///   error the choice is unchanged.
  public func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await presence.setListening(which, choice))
  }

  /// Chooses how long a wearable may be away before it is missing. Durable when it returns.
  ///
  /// - Parameter choice: zero: for any time; nil: as configured.
  /// - Throws: `noSuchWearable`, or the store's error; then the choice is unchanged.
  public func setAbsence(_ which: String, _ choice: Duration?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await absence.setBound(which, choice))
  }

  // MARK: Collected data

  /// Data that visits collect of a wearable unrequested, and when.
  ///
  /// - Throws: `noSuchWearable`.
  public func collection(of which: String) throws(HearthError) -> CollectionSnapshot {
    try collection.collection(of: which)
  }

  /// Chooses the phases that visits collect unrequested; nil: as configured. Durable when it returns.
  ///
  /// - Parameter words: names of phases, or of series for the phases that contain them; empty: all.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a phase that its kind does not have; or the store's error.
  ///   After an error the choice is unchanged.
  public func orderPhases(_ which: String, _ words: [String]?) async throws(HearthError) -> CollectionSnapshot {
    try await collection.orderPhases(which, words)
  }

  /// Chooses times of day for visits that are made however fresh the data is; nil: as configured. Durable when it
  /// returns.
  ///
  /// - Parameter minutes: after local midnight; empty: no times.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for too many times, or one that is no minute of a day; or the
  ///   store's error. After an error the choice is unchanged.
  public func orderVisitTimes(_ which: String, _ minutes: [Int]?) async throws(HearthError) -> CollectionSnapshot {
    try await collection.orderVisitTimes(which, minutes)
  }

  /// Chooses whether the hub removes data on a wearable; nil: as configured. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` if its kind removes or stores no data; or the store's error.
  ///   After an error the choice is unchanged.
  public func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await visits.setErasing(which, choice))
  }

  /// Pauses a wearable from now on. Durable when it returns.
  ///
  /// - Parameter until: by the hub's clock; nil: until it is resumed.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for a time in the past; or the store's error. After an error the
  ///   pause is unchanged.
  public func pause(_ which: String, until: WallTime?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await pauses.pause(which, until: until))
  }

  /// Ends the pause of a wearable; one that is not paused stays as it is. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, or the store's error; then the pause is unchanged.
  public func resume(_ which: String) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await pauses.resume(which))
  }
}
