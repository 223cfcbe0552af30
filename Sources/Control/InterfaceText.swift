// The interface as the daemon describes itself. `io.hearth.Hub.varlink` is the same text as a file; a test holds the two together.

extension HubInterface {
  nonisolated static let description = #"""
    # A Hearth hub: what it knows, who may join it, what it measured.
    #
    # Times are RFC 3339 in UTC with milliseconds. What is unknown is null. Members are only ever added; `schema` names the meaning of a
    # document and changes if it ever has to.
    interface io.hearth.Hub

    # Why something is not as it should be. Codes are stable: `hearth explain H2102`.
    type Trouble (
      code: string,
      area: string,
      # What such a code means, in general.
      sentence: string,
      # What happened to whom this time.
      detail: string,
      # What it means for samples.
      effect: string,
      # What to do.
      next: string
    )

    type Radio (
      # starting, ready, down
      state: string,
      adapter: string,
      address: ?string,
      bus: string,
      # Links the kernel has, and how many the controller is believed to carry.
      links: int,
      slots: int,
      scanning: bool,
      # Why it is down.
      reason: ?Trouble,
      counters: [string]int
    )

    # Something that needs a person; no device: the hub itself.
    type Attention (device: ?string, reason: Trouble)

    # Who holds the lane, and who waits for it.
    type Lane (holder: ?string, queue: []string)

    type Clock (time: string, synchronised: bool, plausible: bool)

    type Loop (wake_ups: int, longest_turn_ms: float, stalls: int)

    type HubState (
      schema: string,
      name: string,
      version: string,
      # starting, serving, stopping
      phase: string,
      started_at: string,
      uptime_seconds: int,
      radio: Radio,
      enrolled: int,
      present: int,
      live: int,
      lane: Lane,
      enrolment: Enrolment,
      store: StoreState,
      clock: Clock,
      attention: []Attention,
      loop: ?Loop,
      counters: [string]int
    )

    type DeviceState (
      schema: string,
      name: string,
      address: string,
      # public, random
      address_type: string,
      kind: string,
      # absent, candidate, due, connecting, identifying, live, waiting, attention
      state: string,
      enrolled: bool,
      # dBm
      rssi: ?int,
      # Percent.
      battery: ?int,
      last_seen: ?string,
      # Beats per minute, and when they were measured.
      heart_rate: ?int,
      heart_rate_at: ?string,
      linked_since: ?string,
      next_try: ?string,
      reason: ?Trouble,
      manufacturer: ?string,
      model: ?string,
      firmware: ?string,
      serial_number: ?string,
      body_location: ?string,
      counters: [string]int
    )

    # Somebody who is heard and may be accepted while `near` is true.
    type Candidate (
      letter: string,
      name: string,
      address: string,
      kind: string,
      rssi: ?int,
      near: bool,
      proposed_name: string
    )

    type Enrolment (
      schema: string,
      # closed, window, all
      mode: string,
      open: bool,
      open_until: ?string,
      seconds_left: ?int,
      # dBm
      near_rssi: int,
      candidates: []Candidate
    )

    type StoreState (
      schema: string,
      path: string,
      file_bytes: int,
      used_bytes: int,
      limit_bytes: int,
      samples: int,
      chunks: int,
      oldest: ?string,
      newest: ?string,
      # In memory, not durable yet.
      pending_samples: int,
      pending_bytes: int,
      last_commit: ?string,
      commits: int,
      failed_commits: int,
      # Deleted to make room, ever, and the time they spanned.
      evicted_samples: int,
      evicted_from: ?string,
      evicted_to: ?string,
      # Lost since start because the disk refused them.
      dropped_samples: int,
      corrupt_chunks: int,
      corrupt_records: int,
      bytes_written_today: ?int,
      wearables: int,
      reason: ?Trouble,
      daemon: bool
    )

    type Sample (
      device: string,
      address: string,
      # heart_rate, rr_interval, battery, energy_expended
      series: string,
      time: string,
      value: float,
      unit: string,
      # live, fetched, replayed
      origin: string
    )

    type Light (lamp: string, colour: string, pattern: string, timing: string, meaning: string, code: ?string)

    type LightsState (schema: string, language: string, lights: []Light)

    type Setting (key: string, value: string, origin: string)

    method Status() -> (status: HubState)

    # Enrolled wearables by name, then candidates that are heard.
    method Devices() -> (devices: []DeviceState)

    # By name or address.
    method Device(name: string) -> (device: DeviceState)

    # Values as they come, of one wearable or of all, until the client hangs up. Call it with `more`. A client that does not read is
    # disconnected (H6007).
    method Live(name: ?string) -> (sample: Sample)

    # 1 to 3600 seconds; null: as configured.
    method EnrollOpen(seconds: ?int) -> (enrolment: Enrolment)

    method EnrollList() -> (enrolment: Enrolment)

    # `which`: letter, address or advertised name. The enrolment is durable when this returns.
    method EnrollAccept(which: string, name: ?string) -> (device: DeviceState)

    method EnrollClose() -> ()

    method Rename(name: string, new_name: string) -> (device: DeviceState)

    # The wearable is never connected again; its samples stay.
    method Forget(name: string) -> ()

    method Store() -> (store: StoreState)

    # Durable samples in the order in which they came. `since` is included, `until` is not. Call it with `more`: each reply is one page, and the
    # next is made when this one was read.
    method Export(device: ?string, series: ?string, since: ?string, until: ?string) -> (samples: []Sample, corrupt_chunks: int)

    # What each lamp says now.
    method Lights() -> (lights: LightsState)

    # The locate pattern, which ends by itself after 30 s; `on: false` ends it now.
    method Locate(on: ?bool) -> ()

    # The configuration in force, key by key.
    method ConfigShow() -> (settings: []Setting)

    # The hub refused. The members are those of Trouble.
    error Refused (code: string, area: string, sentence: string, detail: string, effect: string, next: string)

    """#

  /// `org.varlink.service`, as the Varlink documentation has it.
  nonisolated static let serviceDescription = #"""
    # Every Varlink service has this interface.
    interface org.varlink.service

    method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

    method GetInterfaceDescription(interface: string) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error PermissionDenied ()

    error ExpectedMore ()

    """#
}
