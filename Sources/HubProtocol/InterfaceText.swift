// The interfaces as the daemon describes itself.
//
// Made by `generate` from the two *.varlink beside it. Do not edit.
// swift-format-ignore-file

package enum InterfaceText {
  package static let name = "io.hearth.Hub"

  package static let hub = #"""
    # A Hearth hub: its state, its wearables, their enrolment, and what they measured.
    #
    # Times are RFC 3339 in UTC with milliseconds. Parameters also accept times as people write them, in the hub's zone.
    # Forms are today, yesterday, 14:30, 2026-11-22, 2026-11-22 10:00, and 2h for two hours ago. Any other form is refused
    # (H6010). A date alone is the start of that local day, and as `until` its end. Unknown values are null. Members are
    # only ever added. `schema` names the meaning of a document, and would change with it.
    #
    # A line that begins with a colon describes its method:
    # - the part of the hub that implements it, and the role that it needs (read, operate, administer),
    # - streams: call it with `more`; written: it writes its replies itself; notes: it returns measured values, which
    #   `Accesses` logs,
    # - behind the semicolon, the bounds of its parameters: ranges of numbers, and the number of entries of lists and maps
    #   (#).
    #
    # Texts have 1 to 256 bytes.
    interface io.hearth.Hub

    # A trouble with its cause. Codes are stable: `hearth explain H2102`.
    type Trouble (
      code: string,
      area: string,
      # The meaning of the code in general.
      sentence: string,
      # What happened this time, and to which wearable or part.
      detail: string,
      # The effect on samples.
      effect: string,
      # The next step.
      next: string
    )

    type RadioPhase (starting, ready, down)

    type RadioStatus (
      state: RadioPhase,
      adapter: string,
      address: ?string,
      # public, random; null without an address.
      address_type: ?string,
      bus: string,
      # Links that the kernel has, and the number that the controller is believed to carry (slots).
      links: int,
      slots: int,
      scanning: bool,
      # The reason while it is down.
      reason: ?Trouble,
      # Whether the reset ladder is at work, and its rung; afterwards the rung that was tried last.
      recovering: bool,
      rung: ?string,
      counters: [string]int
    )

    # A trouble that needs a person.
    # - device: null for the hub itself.
    # - muted_until: in a list of muted troubles, by the clock as it is now; null: until the mute is taken back.
    type Attention (device: ?string, reason: Trouble, muted_until: ?string)

    # The trigger of a visit.
    type VisitTrigger (seen, operator, schedule, resumption, announcement)

    # The stage of a visit.
    type VisitStage (connect, identify, check, list, fetch, verify, store, erase, finish, ended)

    # The state of the link of a running visit.
    type VisitConnection (connecting, authenticating, preparing, connected)

    type VisitOutcome (done, interrupted, slice_over, busy, refused, broken, silent, no_room, needs_attention, abandoned)

    # A visit, past or running.
    type Visit (
      schema: string,
      number: int,
      device: string,
      trigger: VisitTrigger,
      began: string,
      # Null while it runs, and for ever if the hub died during it.
      ended: ?string,
      running: bool,
      stage: VisitStage,
      # For a running visit of a wearable that belongs to one host and has to accept it first; otherwise null. After the
      # visit, the detail of its reason has the state in which it ended.
      connection: ?VisitConnection,
      # Null while it runs.
      outcome: ?VisitOutcome,
      reason: ?Trouble,
      # For a visit that ended without a reason: what was fetched, or the cause if there was no fetch.
      remark: ?string,
      bytes_fetched: int,
      items_done: int,
      items_listed: int,
      # The item in work: its id, bytes so far, bytes in all, and percent of these.
      item: ?string,
      item_fetched: ?int,
      item_size: ?int,
      percent: ?int,
      # Bytes per second.
      rate: ?int,
      # Expected end of the fetch at this rate.
      expected_end: ?string,
      # Used and whole slice: the time for which a wearable may hold the lane while others wait.
      slice_used_ms: ?int,
      slice_ms: ?int
    )

    # The priority class of a turn in the lane, first to last.
    type LanePriority (
      # A slot is kept for the wearable.
      reserved,
      # The wearable is switched on for seconds only.
      short_presence,
      operator,
      # A stable link was lost.
      recovering,
      first_contact,
      # A link that delivered data was lost.
      returning,
      scheduled,
      unresponsive
    )

    # What keeps an attempt to connect from beginning now.
    type LaneHold (
      # The radio does not serve.
      radio,
      # Another visit holds the lane.
      lane,
      pairing,
      # Back-off until held_until.
      pace,
      attempts,
      stable_first,
      newcomer_first,
      recovering_first,
      short_presence_first,
      unproven
    )

    # How a wearable would get a slot now.
    type SlotOutlook (
      # The wearable has a link and needs no slot.
      linked,
      free,
      # A slot is free, but attempts to connect may take it.
      attempted,
      # A slot is being vacated.
      vacating,
      # slot_of holds the slot and yields it at slot_at.
      taken,
      # No link yields to it.
      none
    )

    # A wearable that waits for the lane, and the reason. fetches: false for a wearable without stored items, which only
    # needs a link.
    type Queued (
      device: string,
      why: string,
      not_before: ?string,
      trigger: VisitTrigger,
      fetches: bool,
      # In the answer of VisitNow: the requested visit has a higher number than this.
      after: ?int,
      priority: ?LanePriority,
      # The members from here on are only set for `why: true`. Null: an attempt may begin now.
      held_by: ?LaneHold,
      held_until: ?string,
      slot: ?SlotOutlook,
      slot_of: ?string,
      slot_at: ?string,
      # Whether an attempt to connect would find it.
      heard: ?bool
    )

    # The wearable that holds the lane, and those that wait for it.
    type Lane (holder: ?string, queue: []string, visit: ?Visit, waiting: []Queued)

    # zone: the hub's time zone, for example Europe/Berlin, in which its days begin and times are shown.
    type HubClock (time: string, synchronised: bool, plausible: bool, zone: string)

    # Duration of turns of the event loop since start: other tasks wait during a turn. 50 and 99 of 100 turns took at most
    # turn_p50_ms and turn_p99_ms (within an eighth).
    type Loop (wake_ups: int, turns: int, turn_p50_ms: float, turn_p99_ms: float, longest_turn_ms: float, stalls: int)

    type HubPhase (starting, serving, stopping)

    type HubState (
      schema: string,
      name: string,
      version: string,
      phase: HubPhase,
      started_at: string,
      uptime_seconds: int,
      radio: RadioStatus,
      enrolled: int,
      present: int,
      # Wearables that are away for longer than they should be.
      missing: int,
      # Paused wearables; null without any.
      paused: ?int,
      live: int,
      lane: Lane,
      enrolment: Enrolment,
      store: StoreState,
      clock: HubClock,
      attention: []Attention,
      # Troubles that would be in `attention` and are muted; null without any.
      muted: ?[]Attention,
      loop: ?Loop,
      counters: [string]int,
      # Time of the newest backup.
      backup_at: ?string
    )

    # The wait of a wearable for a slot while all slots of the adapter are taken.
    # - since: when the last slot was taken; null if other programs than the hub have links.
    # - holders: names of the wearables with a link, the longest linked first.
    # - next, next_at: the wearable that yields next to the first in the line, and its earliest time.
    # - place: its own place in the line, from 1.
    type SlotWait (links: int, slots: int, since: ?string, holders: []string, next: ?string, next_at: ?string, place: int)

    # An alert: a live value stayed beyond a limit that people set. An alert lasts until it is acknowledged. No medical
    # alarm.
    # - kind: rest-above, rest-below, exercise-above, exercise-below (of heart_rate), spo2-below, temperature-above,
    #   temperature-below.
    # - source: hub (its watch of live values) or wearable (its own warning).
    # - value: the value that raised it last.
    # - since, last: when it was raised first and last.
    # - ended: when the value had been back inside for a minute; null: not yet.
    # - muted_until: as in Attention.
    type Alert (
      kind: string,
      series: string,
      unit: string,
      source: string,
      limit: float,
      value: float,
      since: string,
      last: string,
      count: int,
      ended: ?string,
      reason: Trouble,
      muted_until: ?string
    )

    # A muted trouble of a wearable: the members of Trouble, and the end of the mute by the clock as it is now. Null: until
    # the mute is taken back.
    type MutedTrouble (code: string, area: string, sentence: string, detail: string, effect: string, next: string, muted_until: ?string)

    # A training that the hub derives from the heart rates of a strap.
    # - origin: found (inferred: begin and end are the rise and the fall of the heart rate) or ordered.
    # - ends: null while it is under way.
    # - active_s: without its pauses.
    # - known_s: time with a heart rate. Zones, rates and calories are of that time.
    # - zones_s: zones 1 to 5 by the maximum heart rate; null if that is unknown.
    # - calories_kcal: by heart rate, sex, age and weight; null if these are unknown.
    # - calories_known_s: the part of the time that calories_kcal covers.
    # - extrapolated: the wearer is outside the group from which the formula was derived.
    type TrainingState (
      schema: string,
      device: string,
      origin: string,
      begins: string,
      ends: ?string,
      length_s: float,
      active_s: float,
      known_s: float,
      zones_s: ?[]float,
      mean_heart_rate: ?float,
      highest_heart_rate: ?int,
      calories_kcal: ?float,
      calories_known_s: float,
      extrapolated: bool
    )

    # A possible limit, and its value if it is set.
    type AlertLimit (kind: string, series: string, unit: string, lowest: float, highest: float, limit: ?float)

    # Limits and alerts of the live values of a wearable.
    # - exercise_choice: auto (detected from wearables of the same wearer), on, off.
    # - exercise: values measured now count as exercise.
    type AlertsOf (schema: string, device: string, limits: []AlertLimit, exercise_choice: string, exercise: bool, alerts: []Alert, muted: ?[]Alert)

    # How a series is measured automatically; null: not ordered, or not reported.
    # - begin, end: a part of each day, 08:00 to 24:00 in the wearable's local time.
    # - interval_s: between two measurements.
    # - limits: bounds beyond which the wearable itself warns, by kind (as in AlertLimit), in the unit of the series.
    type MonitoringValues (
      on: ?bool,
      begin: ?string,
      end: ?string,
      interval_s: ?int,
      limits: [string]string,
      maximum_heart_rate: ?int
    )

    # A series that a wearable measures by itself.
    # - can: the parts that can be ordered: on, window, interval, rest_limits, exercise_limits, maximum_heart_rate.
    # - lowest_s, highest_s: possible intervals, multiples of step_s. Some wearables have only the intervals in only_s,
    #   which is else empty.
    # - asked: the order.
    # - got: the values that were read back when the order was carried out.
    # - says: the values that were read last.
    # - progress: none (no order), waiting (not sent yet), taken, refused.
    type MonitoredSeries (
      series: string,
      unit: string,
      can: []string,
      lowest_s: ?int,
      highest_s: ?int,
      step_s: ?int,
      only_s: []int,
      asked: ?MonitoringValues,
      got: ?MonitoringValues,
      says: ?MonitoringValues,
      progress: string
    )

    # How a wearable measures by itself. since: time of the report; null: never read. reason: why an order was refused;
    # null: no refusal.
    type MonitoringOf (schema: string, device: string, series: []MonitoredSeries, since: ?string, reason: ?Trouble)

    # The activity of a wearable, or the cause of its inactivity.
    type DeviceCondition (
      absent,
      # Absent for longer than it should be.
      missing,
      candidate,
      due,
      heard,
      connecting,
      identifying,
      visiting,
      live,
      # No value came over its link for half a minute.
      linked,
      waiting,
      # A person has to act, also while there is a link.
      attention,
      # Paused by order.
      paused
    )

    # critical raises H2230, low H2142.
    type BatteryCharge (enough, low, critical)

    type DeviceState (
      schema: string,
      name: string,
      address: string,
      # public, random
      address_type: string,
      kind: string,
      state: DeviceCondition,
      enrolled: bool,
      # Id of its driver, and of the driver for its next link if that is another one.
      driver: ?string,
      next_driver: ?string,
      # dBm
      rssi: ?int,
      # Percent, and the time of the reading.
      battery: ?int,
      battery_at: ?string,
      # Null: never read, or read more than a day ago.
      battery_charge: ?BatteryCharge,
      # When it was heard last or its link ended, also before the start of the hub.
      last_seen: ?string,
      # The wearable counts as missing after this absence; null: never. absent_choice_s is an operator's lasting choice;
      # null: as configured, 0: never.
      absent_after_s: ?int,
      absent_choice_s: ?int,
      # Time of the newest live value of any series.
      last_value_at: ?string,
      # Present heart rate in beats per minute, and its time; null as soon as the newest values are too old.
      heart_rate: ?int,
      heart_rate_at: ?string,
      # The same from advertisements while there is no link. Any device can send these.
      advertised_heart_rate: ?int,
      advertised_heart_rate_at: ?string,
      linked_since: ?string,
      next_try: ?string,
      reason: ?Trouble,
      manufacturer: ?string,
      model: ?string,
      firmware: ?string,
      serial_number: ?string,
      body_location: ?string,
      system_id: ?string,
      pnp_id: ?string,
      # Charging state and battery fault, as the wearable itself reports them.
      charging: ?string,
      # Announced measurements that the hub does not store, with the cause.
      not_served: ?string,
      # Values that were left out, or accepted although they were odd, by reason, since the start of the hub; null without
      # any. Views (`Watch`) leave it out.
      oddities: ?[]Oddity,
      # Available data, series by series: what it announced over a link and its driver supports. Null: unknown, as it had no
      # link since its enrolment or since a change of its firmware. Views (`Watch`) leave it out.
      capabilities: ?[]SeriesCapabilities,
      # The present wearer.
      wearer: ?string,
      # The running visit, and the last one that ended.
      visit: ?Visit,
      last_visit: ?Visit,
      # The entry in the queue for the lane.
      queued: ?Queued,
      # Set while it waits for a slot. Null: it does not wait, or waits for something else.
      slot_wait: ?SlotWait,
      # The hub tries again only after the wearable was away and is heard again, or at an operator's request.
      cools_off: bool,
      # A measurement is under way, of vital signs or of a series. Null: no measurement.
      measuring: ?bool,
      # The profile that its link was asked for, and the profile with the numbers in use: foreground, background, idle.
      requested_profile: ?string,
      effective_profile: ?string,
      # Whether items that are safe in the store are erased on the wearable:
      # - yes, no, or ask (only in a visit that an operator requested).
      # - order: only on a person's order.
      # - none: the wearable has no items that could be erased.
      erase: string,
      # An operator's lasting choice of that; null: as configured.
      erase_choice: ?string,
      # Whether advertised values are stored while there is no link; null if its family has none. The member listen_choice is
      # an operator's lasting choice; null: as configured.
      listens: ?bool,
      listen_choice: ?bool,
      # Bytes on the wearable.
      memory_free: ?int,
      memory_total: ?int,
      # Phases that visits leave out by order, unless a person requests them; null without any.
      left_out: ?[]string,
      # Begin and end of a pause by order.
      # - paused_since: null if it is not paused.
      # - paused_until: by the clock as it is now; null: until it is resumed.
      paused_since: ?string,
      paused_until: ?string,
      # Troubles that would be its `reason` or in its `alerts`, and are muted; null without any.
      muted: ?[]MutedTrouble,
      # Alerts that are neither acknowledged nor muted; null without any.
      alerts: ?[]Alert,
      # A training under way, found in its heart rates or ordered.
      training: ?TrainingState,
      counters: [string]int
    )

    # A reason for which values were left out, or accepted although they were odd: their number, and the time of the last one.
    type Oddity (what: string, count: int, last_at: string)

    # Available data of one series of a wearable. came: whether a link ever brought a value; null: it is not sent. `can`
    # has:
    # - live: sent over a link.
    # - recorded: in recordings that a person starts.
    # - history: stored on the wearable without an order.
    # - streamed: sent while that is ordered.
    # - on_demand: measured once on order.
    # - monitoring: measured by the wearable itself.
    # - monitoring_window, monitoring_interval: time of day and interval of that can be ordered.
    # - denser: more often, on order.
    # - resting: its value at rest.
    # - rest_alert, exercise_alert: the wearable warns of a value beyond bounds.
    type SeriesCapabilities (series: string, can: []string, came: ?bool)

    # A wearable that is heard, and can be accepted while `near` is true.
    type Candidate (
      letter: string,
      name: string,
      address: string,
      kind: string,
      rssi: ?int,
      near: bool,
      proposed_name: string
    )

    type EnrolmentMode (closed, window, all)

    type Enrolment (
      schema: string,
      mode: EnrolmentMode,
      open: bool,
      open_until: ?string,
      seconds_left: ?int,
      # dBm
      near_rssi: int,
      candidates: []Candidate
    )

    # Samples that are not in a ring yet.
    type Journal (samples: int, chunks: int, bytes: int, oldest: ?string)

    # A series of a wearable that came in one way.
    type Ring (
      device: string,
      series: string,
      # live, fetched
      way: string,
      samples: int,
      chunks: int,
      bytes: int,
      # Null: unbounded.
      quota_bytes: ?int,
      keep_seconds: ?int,
      # At the bound: delete the oldest, or refuse samples that could be fetched later.
      evict: string,
      oldest: ?string,
      newest: ?string,
      bytes_per_day: ?int,
      # Samples that no reader has confirmed.
      unexported: int,
      # Samples deleted to keep the bounds, ever; those of them that no reader had confirmed; and the time span of all of
      # them.
      evicted_samples: int,
      evicted_unexported: int,
      evicted_from: ?string,
      evicted_to: ?string,
      # Samples deleted by a person, ever.
      purged_samples: int,
      # The ring is at its bound, and new items stay on the wearable.
      refuses: bool
    )

    # Bytes written to the card: since the hub's midnight, by all writers of the store ever, and per year by the last seven days.
    type Wear (
      bytes_today: int,
      budget_per_day: ?int,
      over_budget: bool,
      odometer: int,
      forecast_per_year: ?int,
      # Size of the SD card or eMMC, and bytes that such a card bears before it wears out: 100 times its size. Absent for
      # another medium.
      card_bytes: ?int,
      card_bears: ?int
    )

    # A reader of exports with its cursor.
    type Reader (name: string, created_at: string, confirmed_at: string, samples: int, by: string)

    type StoreState (
      schema: string,
      path: string,
      # Bytes of the file, bytes in use, bytes free for reuse, and the bound of the file.
      file_bytes: int,
      used_bytes: int,
      free_bytes: int,
      limit_bytes: int,
      samples: int,
      chunks: int,
      oldest: ?string,
      newest: ?string,
      # Samples in memory that are not durable yet.
      pending_samples: int,
      pending_bytes: int,
      last_commit: ?string,
      commits: int,
      failed_commits: int,
      journal: Journal,
      # Rings by wearable and series; null in a HubState.
      rings: ?[]Ring,
      # Samples that no reader has confirmed.
      unexported: int,
      # Readers by name; null in a HubState.
      readers: ?[]Reader,
      # Samples deleted to keep the bounds, ever; those of them that no reader had confirmed; and the time span of all of
      # them.
      evicted_samples: int,
      evicted_unexported: int,
      evicted_from: ?string,
      evicted_to: ?string,
      # Samples lost since start because the disk refused them.
      dropped_samples: int,
      corrupt_chunks: int,
      corrupt_records: int,
      # Bytes of items that are not whole yet. Since start: bytes of such items that were deleted for lack of room and are
      # fetched again, and records of custody that were deleted.
      staged_bytes: int,
      staged_given_up: int,
      custody_given_way: int,
      # Bytes of damaged files that were set aside in the store's folder. The hub never deletes them.
      aside_bytes: ?int,
      # Read transactions of the database: open, and possible.
      reader_slots_used: int,
      reader_slots: int,
      bytes_written_today: ?int,
      wear: Wear,
      wearables: int,
      reason: ?Trouble,
      daemon: bool,
      # Identity of this store, 16 hexadecimal digits; null in a HubState, and until rows with ordinals were requested.
      identity: ?string
    )

    # Optional members are left out if they do not apply.
    type Sample (
      device: string,
      address: string,
      # heart_rate, rr_interval, acc, ...
      series: string,
      time: string,
      # A number; for a vector a list of numbers, for a waveform a list of samples.
      value: ?object,
      unit: ?string,
      # live, fetched, replayed, advertised
      origin: string,
      # maximum, minimum, resting; without it a normal value.
      kind: ?string,
      # The user started the measurement.
      manual: ?bool,
      # End of an interval.
      end: ?string,
      # The wearer at that time.
      wearer: ?string,
      # For a waveform in the wearable's own encoding.
      encoding: ?int,
      # For a waveform: time from sample to sample.
      period_ns: ?int,
      count: ?int,
      # Kind of a record.
      record: ?int,
      # Base64.
      data: ?string,
      # Without it the time rests on a clock that a time server had set.
      # - unsure: the time does not.
      # - corrected: the time did not, and was corrected since.
      clock: ?string,
      # For a row that was corrected after its reader had it: its former time.
      was: ?string
    )

    # The newest samples of a series, in order of time.
    type Peek (schema: string, device: string, series: string, unit: string, layout: string, samples: []Sample)

    # The duration of a class of a series within a day, such as a stage of sleep.
    type DayState (state: int, seconds: float)

    # A value of a day, and the time of its measurement.
    type DayValue (value: float, time: string)

    # A value of a series on a day.
    # - name: of a vector its component, such as systolic; else empty.
    # - maximum, minimum: of items with that mark of the wearable, never the largest or smallest normal value.
    # - derived_max, derived_min: of normal items, only if no item is marked so.
    # - average: of normal items, to one decimal.
    # - resting: of items with that mark of the wearable, the latest by its time.
    type DayPart (
      name: string,
      maximum: ?DayValue,
      minimum: ?DayValue,
      derived_max: ?DayValue,
      derived_min: ?DayValue,
      average: ?float,
      resting: ?DayValue
    )

    # A local day. Values are in the unit of the series. minimum, maximum: the lowest and highest first value, marked or
    # not; `parts` distinguish them.
    type Day (
      date: string,
      # 00:00 of the day, and of the next day.
      start: string,
      end: string,
      # Number of normal items; those that the user started, and the others.
      count: int,
      manual: int,
      automatic: int,
      # Items that the wearable itself doubts. The other numbers leave them out.
      doubtful: int,
      minimum: ?float,
      maximum: ?float,
      mean: ?float,
      resting: ?float,
      # For counted series.
      sum: ?float,
      # For classes, which have no values like those above.
      states: []DayState,
      first: string,
      last: string,
      # Names of the wearers between these times, in order of time.
      wearers: []string,
      # A single part, or one for each component of a vector; empty for classes.
      parts: []DayPart
    )

    type SeriesDays (series: string, unit: string, days: []Day, overflowed: int, malformed: int)

    # A night that ended on a day. Times in seconds. goal_s: the goal of sleep; rating: the sleeper's own rating, from 1
    # (poor) to 5 (well).
    type Night (
      from: string,
      to: string,
      awake_s: int,
      rem_s: int,
      light_s: int,
      deep_s: int,
      unknown_s: int,
      goal_s: ?int,
      rating: ?int
    )

    # The recharge of a night.
    # - recovery, level: recovery from 1 to 6, and the position within that step (0 to 100).
    # - ans, ans_status: the autonomic nervous system from 1 to 5, and against the usual.
    # - rri_ms, rmssd_ms, breath_ms: means of the night of beat-to-beat intervals, RMSSD and breath intervals. usual_: the
    #   wearer's usual ones.
    type Recharge (
      recovery: ?int,
      level: ?int,
      ans: ?int,
      ans_status: ?float,
      rri_ms: ?int,
      rmssd_ms: ?int,
      breath_ms: ?int,
      usual_rri_ms: ?int,
      usual_rmssd_ms: ?int,
      usual_breath_ms: ?int
    )

    # A training. Part 0 is the whole training, parts from 1 on are its exercises. sport is the wearable's own number.
    # duration_s is active time.
    type Training (
      begins: string,
      part: int,
      sport: ?int,
      duration_s: int,
      distance_m: ?int,
      calories_kcal: ?int,
      mean_heart_rate: ?int,
      highest_heart_rate: ?int,
      manual: bool,
      # The hub detected it in heart rates, or a person ordered it (manual). Otherwise the wearable recorded it.
      by_hub: bool
    )

    # A local day of a wearer.
    # - shared: the wearable reported only one sum of distance or calories for a time in which another person wore it too.
    type DayLine (
      date: string,
      wearer: ?string,
      steps: ?int,
      distance_m: ?float,
      # Calories of activity, of trainings, and at rest.
      calories_kcal: ?float,
      training_calories_kcal: ?float,
      basal_calories_kcal: ?float,
      shared: bool,
      # Duration of each class of active_time.
      activity: []DayState,
      lowest_heart_rate: ?int,
      mean_heart_rate: ?float,
      highest_heart_rate: ?int,
      resting_heart_rate: ?int,
      nights: []Night,
      recharge: ?Recharge,
      trainings: []Training
    )

    # `lines` are only there if no series was requested. Days without items are left out.
    #
    # - overflowed: items of more than 4,000 days, which no day counts.
    # - malformed: items that no program of Hearth writes.
    # - enrolment: as in `Export`.
    type DaysOf (schema: string, device: string, zone: string, lines: []DayLine, series: []SeriesDays, enrolment: ?int)

    # A measured value with all its marks.
    type Item (
      device: string,
      start: string,
      # Equal to `start`, except for an interval.
      end: string,
      duration_s: float,
      # For a vector the first component; `components` has all of them.
      value: float,
      components: []float,
      # normal, maximum, minimum, resting
      kind: string,
      # Manual: a person started the measurement. Otherwise automatic.
      manual: bool,
      # live, fetched, replayed, advertised
      origin: string,
      # low: the wearable doubts the value; null: it does not.
      quality: ?string,
      # The wearer at that time.
      wearer: ?string,
      # null: the time rests on a clock that a time server had set.
      # - unsure: the time does not.
      # - corrected: the time did not, and was corrected since.
      clock: ?string
    )

    # Items in order of their begin. At the same moment manual ones come first, then the order of arrival counts. `name`:
    # the wearable or the wearer. `components`: names of the components of a vector. `next`: value for `after` to get the
    # next page; null: last page.
    type ItemsOf (
      schema: string,
      name: string,
      series: string,
      unit: string,
      components: []string,
      zone: string,
      items: []Item,
      next: ?string
    )

    # A series on one day.
    # - place: for a temperature, the place of the measurement such as skin; null: unknown.
    # - devices: the wearables of the items. Measured values combine all wearables of a wearer. Counts and classes have one
    #   entry for each wearable.
    # - resting, manual, automatic: items in order of their begin. manual and automatic have normal items.
    # - left_out: number of items that did not fit into the lists. `Items` returns them.
    type DailySeries (
      series: string,
      unit: string,
      place: ?string,
      devices: []string,
      day: Day,
      resting: []Item,
      manual: []Item,
      automatic: []Item,
      left_out: int
    )

    # The share of a stage in a sleep. `stage`: unknown, awake, rem, light, deep. `percent`: of the sleep without the time
    # awake; null for stages that are not sleep. `episodes`: number of begins.
    type SleepStage (stage: string, seconds: float, percent: ?float, episodes: int)

    # `seconds`: with the time awake, without the time between pieces. Time awake at the end does not count.
    type SleepSum (from: string, to: string, seconds: float, asleep_s: float, stages: []SleepStage)

    # A run of stages with rests of at most 20 minutes. `kind`: night (began between 20:00 and 09:00), nap (by day, 20
    # minutes to 3 hours of sleep), other.
    type SleepSegment (kind: string, sum: SleepSum)

    # The sleep of a date, from 20:00 to 20:00.
    # - without_naps: its nights. with_naps: nights and naps.
    # - longest_night: the longest sleep that began between 20:00 and 08:00.
    # - longest: the longest of any kind.
    type SleepOf (
      from: string,
      to: string,
      without_naps: ?SleepSum,
      with_naps: ?SleepSum,
      longest_night: ?SleepSum,
      longest: ?SleepSum,
      segments: []SleepSegment
    )

    type DeviceLine (device: string, line: DayLine)

    # A local day of 23 to 25 hours, of a wearable or of all wearables of a wearer. `lines`: sums, nights and trainings of
    # each wearable.
    type DailyOf (
      schema: string,
      name: string,
      zone: string,
      date: string,
      start: string,
      end: string,
      series: []DailySeries,
      sleep: ?SleepOf,
      lines: []DeviceLine
    )

    # The reason for a part of a gap without values.
    type GapReason (
      # The samples were stored and then deleted.
      evicted,
      not_enrolled,
      # Left out by order of a person.
      by_order,
      hub_down,
      radio_down,
      no_slot,
      # With the code of the visit.
      visit_failed,
      # A visit found that the wearable did not record.
      not_recording,
      # The wearable may still hold the samples.
      not_fetched,
      # The battery level rose in between.
      charging,
      out_of_reach,
      unknown
    )

    # A part of a gap and its reason. `code`: of the event or visit that is the evidence; `text`: its text.
    type GapCause (from: string, to: string, cause: GapReason, code: ?string, text: ?string)

    type Gap (from: string, to: string, seconds: float, causes: []GapCause)

    # The coverage of a series in a span of time.
    # - occasional: its values come on occasion. Then there are no gaps, and `share` is null.
    # - way: live or fetched, the way of most samples.
    # - period_s: the usual interval between values.
    # - tolerance_s: a longer stretch without values is a gap.
    # - gaps: in order of time, at most 1000. If there are more, the longest are listed; gaps_left_out counts the others.
    # - damaged: number of unreadable chunks.
    type SeriesCoverage (
      series: string,
      occasional: bool,
      way: string,
      samples: int,
      first: ?string,
      last: ?string,
      period_s: ?float,
      tolerance_s: ?float,
      covered_s: ?float,
      share: ?float,
      gaps: []Gap,
      gaps_left_out: int,
      damaged: int
    )

    # A time in which a person wore a wearable.
    type WornTime (from: string, to: string)

    # `seconds`: length of the span, with its ends rounded to milliseconds. `enrolment`: number of the wearable's enrolment,
    # as in `Export`. If a wearer was requested:
    # - wearer: name of that person.
    # - worn: times of the span in which the person wore the wearable, in order. Only these times count, and `seconds` is
    #   their length. Empty: the person wore no wearable, and `device` is the name of the person.
    type CoverageOf (
      schema: string,
      device: string,
      zone: string,
      since: string,
      until: string,
      seconds: float,
      series: []SeriesCoverage,
      enrolment: ?int,
      wearer: ?string,
      worn: ?[]WornTime
    )

    # An event. `from`, `to`: duration of the state (a lost link, a stopped hub, a radio that is down); `from` alone: it has
    # not ended. `count`: number of events between the two times; null: one.
    type Event (number: int, time: string, code: string, area: string, device: ?string, text: string, from: ?string, to: ?string, count: ?int)

    # The measured values that a user got of a wearable by one method in one UTC day.
    type Access (
      first: string,
      last: string,
      uid: int,
      # Name of the user on the machine.
      user: ?string,
      # A method of this interface, such as Export.
      method: string,
      # Null: personal data, such as body data.
      device: ?string,
      # Numbers of the wearers at the time of measurement, and the present names of those that still have one.
      wearers: []int,
      names: []string,
      # There were more wearers than are logged.
      more_wearers: bool,
      series: []string,
      # Earliest and latest time of these values.
      from: ?string,
      to: ?string,
      samples: int,
      calls: int,
      # The export cursor.
      cursor: ?string
    )

    type ErasedPart (device: string, series: string, way: string, samples: int, unexported: int, from: string, to: string)

    # The data that erasing a person deletes, and places of copies that it does not reach.
    type Erasure (
      schema: string,
      wearer: int,
      name: string,
      samples: int,
      # Samples that no reader of an export has confirmed.
      unexported: int,
      parts: []ErasedPart,
      # Number of assignments of wearables to the person.
      assignments: int,
      # A sentence for each.
      copies: []string,
      # Deleted items of rings; null: not deleted yet.
      erased: ?int
    )

    type Finding (place: string, what: string)

    # At most a hundred findings; finding_count counts all.
    type Check (
      schema: string,
      clean: bool,
      journal_chunks: int,
      ring_chunks: int,
      rings: int,
      samples: int,
      records: int,
      finding_count: int,
      findings: []Finding
    )

    type PurgePart (
      device: string,
      # Known wearers of these samples.
      wearers: []string,
      series: string,
      way: string,
      samples: int,
      # Samples that no reader has confirmed.
      unexported: int,
      from: string,
      to: string
    )

    # A purge, or the plan of one.
    # - purged: number of deleted samples; null for a plan.
    # - held: pages of the store's file that still hold deleted samples because a reader uses an older state. 0: all were
    #   overwritten; null: a plan, or the disk refused.
    type Purge (schema: string, samples: int, unexported: int, parts: []PurgePart, purged: ?int, held: ?int)

    # The state of a light.
    # - sentence, next: meaning of the code, and the next step.
    # - over: true if the reason for the code has ended, as a light shows a code for at least ten seconds.
    type Light (
      lamp: string, colour: string, pattern: string, timing: string, meaning: string, code: ?string, sentence: ?string, next: ?string, over: ?bool
    )

    # night: day, dimmed, cannot_dim, off (dark but for trouble); null if no night is configured.
    type LightsState (schema: string, language: string, lights: []Light, night: ?string)

    # Watermark of a series of a wearable: `end` of the newest stored item with a known time; null without one. `refused`:
    # number of items with a time in the future, since the enrolment.
    type SyncMark (series: string, end: ?string, refused: int)

    # The end of an ordered measurement.
    type MeasurementEnd (
      # The time limit was reached.
      limit,
      # A person stopped it.
      stopped,
      # The wearable ended it.
      by_wearable,
      # With a reason, also if it ended without a value (H2153).
      failed
    )

    # The result of an ordered measurement.
    type MeasurementOf (
      schema: string,
      device: string,
      series: string,
      # Null while it measures.
      end: ?MeasurementEnd,
      # Number of values so far; all of them are stored.
      values: int,
      reason: ?Trouble
    )

    # A vital sign. In a record it is final; during a measurement it may still change. The list of intervals is not a vital
    # sign. text: the name of a level or a zone; value is then null.
    type VitalValue (
      name: string,
      value: ?float,
      text: ?string,
      unit: string,
      # unknown, low, medium, high
      confidence: string,
      # Length of the data that it was computed from.
      window_s: float,
      method: string,
      # window_short, optical (from pulse intervals), hf_unreliable, extrapolated, passed_through, corrected, wrist
      flags: []string
    )

    # The reason why an enabled vital sign has no result.
    type VitalMissing (name: string, reason: string)

    # A gap without beats, from the start of the measurement.
    type VitalsGap (start_s: float, length_s: float)

    # An interval as received. flags: begins_stretch, dropped, uncertain, ectopic, missed, extra, long_or_short.
    type VitalsInterval (ms: float, flags: []string)

    # The stored record of a measurement. `person`: the measured person; null: unknown. `wearer`: wearer of the wearable at
    # that time, by present knowledge.
    type VitalsRecord (
      session: int,
      # Number of the measurement in its session, from 1.
      number: int,
      device: string,
      person: ?string,
      wearer: ?string,
      basis: VitalsBasis,
      start: string,
      end: string,
      requested_s: float,
      actual_s: float,
      ended_by: VitalsFinish,
      # Code of an error, as in the session; else null.
      code: ?int,
      sentence: ?string,
      artefact_share: float,
      # Share of the time; above 1 the intervals cover more than the time, as some sensors report intervals twice.
      coverage: float,
      gaps: []VitalsGap,
      # Number of intervals in the record; `interval_list` has them only on request.
      intervals: int,
      interval_list: ?[]VitalsInterval,
      # Number of entries that did not fit into the record; of intervals, the last ones.
      left_out: int,
      results: []VitalValue,
      not_reported: []VitalMissing
    )

    # The newest measurements in order of their start. `name`: the wearable or the person. `unreadable`: number of further
    # records that are damaged or of a later program.
    type VitalsRecordsOf (schema: string, name: string, zone: string, records: []VitalsRecord, unreadable: int)

    # A vital sign in the table of a session. reason: why its kind of sensor does not have it; null if it is enabled.
    # Reasons are needs_intervals, intervals_unproven, needs_rate, needs_oximeter, needs_thermometer, needs_cuff,
    # needs_scale, no_public_definition, proprietary, needs_camera.
    type VitalSign (name: string, unit: string, enabled: bool, reason: ?string)

    # Kind of sensor. electrical, optical and optical_wrist report intervals.
    type VitalsSensor (electrical, optical, optical_wrist, rate_only, oximeter, thermometer, cuff, scale)

    # The basis of results: electrical intervals, optical intervals, or rates.
    type VitalsBasis (rr, ppi, rate)

    # The end of a measurement of vital signs.
    type VitalsFinish (
      # The time was over.
      duration,
      # Ended early with results: by a person, or by the only reading of a cuff.
      stop,
      # Ended before there were results.
      terminated,
      error
    )

    type VitalsPhase (
      # The wearable is connected and its stream started.
      initializing,
      ready,
      starting,
      # Measuring.
      processing,
      # Results are computed.
      stopping,
      terminating,
      terminated
    )

    # An ordered measurement of vital signs: person, sensor, duration, and possible results.
    type VitalsSession (
      schema: string,
      id: int,
      device: string,
      # Null if no person is given, and the wearer is unknown.
      person: ?string,
      sensor: VitalsSensor,
      # Null: the sensor itself reports results.
      basis: ?VitalsBasis,
      seconds: int,
      signs: []VitalSign
    )

    type VitalsState (state: VitalsPhase, time: string)

    # The values at one moment of a measurement.
    type VitalsMoment (
      elapsed_s: float,
      requested_s: float,
      # Beats per minute; null without any, and while values are hidden.
      pulse_rate: ?float,
      # Share of artefacts in the intervals of the last 10 s, 0 to 1; null without intervals.
      artefact_share: ?float,
      # Signal quality by that share: high, medium, low, withheld; null without intervals.
      quality: ?string,
      # The signal is too doubtful to show values.
      hidden: bool,
      # Computed again every 5 s; empty in between.
      results: []VitalValue
    )

    # A condition that began (`on`) or ended, or an error.
    # - code: its number in the session, which is no H code.
    # - next: the next step for a person.
    # - reason: the H code of an error.
    type VitalsNotice (code: int, sentence: string, next: string, on: bool, reason: ?string)

    # The end of a measurement of vital signs.
    type VitalsEnd (
      end: VitalsFinish,
      # Code of an error, as in VitalsNotice.
      code: ?int,
      # The reason why there are no results.
      reason: ?Trouble
    )

    type SyncProgress (waiting, running, done, nothing_new, failed, skipped)

    # A kind of data in a sync.
    type SyncPart (
      # The name of the kind in a sync, such as sleep or recordings.
      domain: string,
      series: []string,
      state: SyncProgress,
      # The reason why it failed or is skipped.
      reason: ?Trouble,
      # Number of items in the range, and of items stored in this sync.
      items_listed: int,
      items_stored: int,
      bytes: int,
      # Listed items without a time of measurement, which are fetched for any range.
      items_undated: int
    )

    # An ordered sync: the running one, or the last one. A sync goes on after a restart of the hub.
    type SyncOf (
      schema: string,
      device: string,
      # Number of the sync of this wearable, from 1.
      number: int,
      ordered: string,
      # Null while it waits or runs.
      ended: ?string,
      since: ?string,
      until: ?string,
      automatic_only: bool,
      # The visit that works on it, or did last.
      visit: ?int,
      # Number of its domains that are finished.
      domains_over: int,
      domains: []SyncPart,
      # The reason for an end before all domains were finished.
      reason: ?Trouble,
      # The item in work: its id, bytes so far, bytes in all, and percent of these.
      item: ?string,
      item_fetched: ?int,
      item_size: ?int,
      percent: ?int,
      watermarks: []SyncMark
    )

    # An item that a wearable holds or held, and the time of each step on its way into the store.
    type CustodyItem (
      id: string,
      # A mark that distinguishes this content from other content at the same place.
      mark: string,
      size: ?int,
      bytes_fetched: int,
      fetched: ?string,
      verified: ?string,
      durable: ?string,
      erased: ?string,
      receipts: int,
      first_receipt: ?int,
      remark: string,
      visit: int
    )

    # At most 1024 items.
    type CustodyOf (schema: string, device: string, visit: ?Visit, items: []CustodyItem)

    type LinkRequested (profile: string, min_interval_ms: float, max_interval_ms: float, latency: int, timeout_ms: int)

    # profile: the profile with these numbers; null if no profile has them. source: observed, asked_by_wearable, assumed.
    type LinkEffective (profile: ?string, interval_ms: float, latency: int, timeout_ms: int, source: string)

    type LinkState (
      schema: string,
      device: string,
      linked: bool,
      # The reason for this profile.
      why: string,
      # An operator's lasting choice; null: the hub chooses.
      override: ?string,
      # Only the hub sets the link; the wearable's characteristic is not written.
      central: bool,
      requested: LinkRequested,
      effective: ?LinkEffective,
      # Value of the wearable's characteristic: its number, and the profile with that number.
      reported: ?int,
      reported_profile: ?string,
      # Time of that reading. The characteristic is read again after each write.
      reported_at: ?string,
      # Result of the last write of the characteristic; null without one.
      characteristic: ?string,
      reason: ?Trouble,
      mtu: ?int,
      # Encrypted at this moment, whichever side began that; bytes of the key, null if unknown.
      secured: bool,
      key_size: ?int,
      # The hub has keys of the wearable.
      bonded: bool
    )

    # The clock of a wearable.
    # - offset_us: how far it was ahead of the hub's clock; for a clock with local time, of the hub's local time.
    # - utc_offset_min, zone_offset_min: for a clock with local time, the minutes east of Greenwich that it reported, and
    #   those of the hub's zone.
    # - trusted: the hub's own clock was trusted at that time.
    # - doubt: why there is no drift.
    type DeviceClock (
      device: string, offset_us: ?int, utc_offset_min: ?int, zone_offset_min: ?int, read_at: ?string, set_at: ?string, trusted: bool, drift_ppm: ?float, doubt: ?string
    )

    type Clocks (schema: string, time: string, synchronised: bool, plausible: bool, zone: string, devices: []DeviceClock)

    type Rung (name: string, count: int)

    # An adapter of a machine with several. advertisements: number heard since the start.
    type RadioAdapter (
      name: string, address: ?string, bus: string, state: RadioPhase, reason: ?Trouble, links: int, slots: int, slot_source: string, recovering: bool, advertisements: int,
      # public; random: the adapter has no public address, and the hub gave it this one; null: no address.
      address_type: ?string,
      # True: makes links only to devices that are bonded to it (radio.listen).
      only_listens: ?bool
    )

    type RadioState (
      schema: string,
      state: RadioPhase,
      adapter: string,
      address: ?string,
      bus: string,
      links: int,
      slots: int,
      # standard, configured, learned
      slot_source: string,
      scanning: bool,
      reason: ?Trouble,
      last_heard: ?string,
      # The reset ladder:
      # - recovering: whether it is at work.
      # - rung, last_recovery: the present or last rung, and its time.
      # - ladder: all rungs, each with the number of its uses since start.
      recovering: bool,
      rung: ?string,
      last_recovery: ?string,
      ladder: []Rung,
      # Whether actual parameters of links can be read, and whether live links can be changed.
      observes_links: bool,
      updates_live_links: bool,
      warnings: []Trouble,
      # The single adapters if several serve as one radio; else null.
      adapters: ?[]RadioAdapter,
      # True: attempts leave one of the adapters without any, so that it receives all advertisements (radio.listen).
      listens_in_turn: ?bool,
      counters: [string]int
    )

    # The share of a device in the slots.
    # - live: keeps its link.
    # - turns: has a link in turn with others.
    # - visits: stores its measurements and needs a slot only for its visits.
    # - seconds: is on for seconds only, and gets a slot at once.
    # - unreachable: is bonded to an adapter that does not serve.
    type SlotRole (live, turns, visits, seconds, unreachable)

    type PlannedDevice (
      device: string,
      role: SlotRole,
      present: bool,
      # For turns, in seconds: the shortest turn, and the longest time without a link within an hour. turn_s null: no turn
      # ended.
      turn_s: ?int,
      gap_s: ?int,
      # The wearable advertises its heart rate, which is shown between its turns too.
      advertises: bool
    )

    # The slots of each enrolled device if all of them are present for an hour: a simulation with the hub's own rules.
    # Paused devices are left out.
    type SlotPlan (
      schema: string,
      # Slots of all adapters that serve.
      slots: int,
      # standard, configured, learned
      slot_source: string,
      # Devices that want a link for as long as they are present.
      wanting: int,
      # Further slots with which no device would wait, and the number of adapters with 5 slots for that.
      missing: int,
      missing_adapters: int,
      # Adapters that make links only to devices that are bonded to them: their other slots do not count.
      listening: ?[]string,
      # True: attempts leave one of the adapters without any as long as others have slots.
      listens_in_turn: ?bool,
      devices: []PlannedDevice
    )

    type Pairing (
      schema: string,
      device: string,
      address: string,
      # The answer that the pairing needs:
      # - just_works: yes or no.
      # - compare: yes if the wearable shows these digits.
      # - passkey: the six digits that the wearable shows.
      # - show: type these digits on the wearable.
      kind: string,
      digits: ?string,
      until: string
    )

    # usage: the arguments; empty without any.
    type Action (name: string, summary: string, usage: string)

    # A subject with its properties. Names of numeric fields end with the unit.
    type ReportRow (name: string, fields: [string]string)

    # A wearable's own report, read from it at that moment.
    type ReportOf (schema: string, device: string, topic: string, rows: []ReportRow)

    # A feature that a wearable can switch off, and whether that is ordered.
    type OrderSwitch (name: string, summary: string, off: bool)

    # A setting that a wearable keeps by itself, and its order; null: no order.
    # - values: the possible values; empty for a number.
    # - lowest, highest, unit: of a number. The unit may be empty.
    type OrderSetting (name: string, summary: string, values: []string, lowest: ?int, highest: ?int, unit: ?string, ordered: ?string)

    # Possible rates of a live series in samples per second, slowest first. Empty: the wearable reports them only over a
    # link. without_heart_rate: those rates at which the wearable sends no heart rate, whatever else it streams.
    type RateChoice (series: string, rates: []int, without_heart_rate: []int)

    # A part of an order that was left out because the wearable does not have it, and the reason. An order of that part
    # alone is refused.
    type SkippedOrder (what: string, reason: Trouble)

    # Automatic measurements of vital signs by the hub. `text`: the order. `skipped`, `why`: the last one that was skipped
    # since the start of the hub, if any.
    type MeasureOrder (text: string, every_s: int, seconds: int, next: ?string, skipped: ?string, why: ?string)

    # The data that the hub's own visits fetch.
    # - phases: all phases of a wearable of its kind, in order of fetching.
    # - left_out: those that the visits leave out.
    # - ordered: the choice for this wearable: all, or names of phases; null: as configured.
    # - visit_at: times of day of visits that happen even if the data is fresh.
    # - own_times: these times were chosen for this wearable.
    type CollectionOrder (phases: []string, left_out: []string, ordered: ?[]string, visit_at: []string, own_times: bool)

    # The orders for a wearable.
    # - streams: series that it sends live, beside those that it always sends.
    # - rates: samples per second of series; other series follow the link.
    # - secret: there is one, which is never returned.
    type OrdersOf (
      schema: string,
      device: string,
      streams: []string,
      rates: [string]int,
      rate_choices: []RateChoice,
      secret: bool,
      switches: []OrderSwitch,
      settings: []OrderSetting,
      # null: it is measured only on request.
      measure: ?MeasureOrder,
      # null: the wearable stores no data that visits could fetch.
      collection: ?CollectionOrder,
      wearer: ?string,
      # Left-out parts of the order that this document answers; null without any.
      skipped: ?[]SkippedOrder
    )

    # A wearer: a person that wears wearables.
    type WearerState (
      schema: string,
      number: int,
      name: string,
      # The site's own identifier of the person, the same at every hub; null: not entered.
      id: ?string,
      entered: string,
      # Time from which wearables can no longer be assigned.
      retired: ?string,
      # 1971-03-05
      born: ?string,
      # female, male
      sex: ?string,
      height_cm: ?int,
      weight_kg: ?int,
      # Beats per minute.
      maximum_heart_rate: ?int,
      resting_heart_rate: ?int,
      # ml/kg/min
      vo2_max: ?int,
      # occasional, regular, frequent, heavy, semi-pro, pro
      training_background: ?string,
      # sitting, standing, moving
      typical_day: ?string,
      sleep_goal_minutes: ?int,
      # Wearables forget all body data when no person wears them any more.
      take_off: bool,
      # The wearables that this person wears now.
      wears: []string
    )

    # The site's identifier for a name of this hub.
    type WearerId (wearer: string, id: string)

    # Holds until `from` of the next one. Without a wearer: on no person.
    type Assignment (from: string, wearer: ?string, entered: string)

    # Past, present and future wearers of a wearable, in order of time.
    type AssignmentsOf (schema: string, device: string, assignments: []Assignment)

    # Samples of a span of time, before `to`, that belong to another wearer than reported before. Without a wearer: to no
    # person.
    type Correction (device: string, enrolment: int, from: string, to: string, was: ?string, wearer: ?string)

    # Rows that are missing in an export: rows of a ring with these ordinals, both included. All null: rows of a chunk of
    # the journal, possibly of several rings. `cause`: damaged (the card returned other bytes than were written), or gone
    # (evicted, purged or erased before the reader of this cursor had them).
    type MissingRows (device: ?string, address: ?string, enrolment: ?int, series: ?string, way: ?string, from: ?int, to: ?int, cause: string)

    type CorrectedPart (from: string, to: string, was: ?string, wearer: ?string, samples: int)

    # The effect of a correction on stored samples, and the export cursors that had some of them and get the correction.
    type CorrectionOf (schema: string, device: string, parts: []CorrectedPart, readers: []string, assignments: []Assignment)

    type Setting (key: string, value: string, origin: string)

    # A mute of a trouble.
    # - device: only for this wearable; null: for the hub and all wearables.
    # - until: by the clock as it is now; null: until it is taken back.
    type MuteOf (code: string, sentence: string, device: ?string, since: string, until: ?string)

    # The data of a full-screen view. The first of a stream is complete. Later ones have the changes: null and unnamed
    # devices mean no change. A status comes at least once a minute.
    type HubView (
      schema: string,
      status: ?HubState,
      radio: ?RadioState,
      lights: ?LightsState,
      # Devices that changed, and the addresses of all in their order; a device that is missing there is no longer known.
      devices: []DeviceState,
      order: ?[]string,
      # The newest 20 of each; of visits the running one first.
      visits: ?[]Visit,
      events: ?[]Event
    )

    #: Hub read
    method Status() -> (status: HubState)

    # Enrolled wearables by name, then candidates that are heard.
    #: Hub read notes
    method Devices() -> (devices: []DeviceState)

    # By name or address.
    #: Hub read notes
    method Device(name: string) -> (device: DeviceState)

    # Pauses a wearable: no link, no visit and no advertised value, except on request. `until`: RFC 3339; null: until it is
    # resumed. A second call replaces the end of the pause. Durable when this returns.
    #: Pause operate
    method Pause(name: string, until: ?string) -> (device: DeviceState)

    #: Pause operate
    method Resume(name: string) -> (device: DeviceState)

    # Muted troubles, which neither lights nor the troubles of the hub or of a wearable show.
    #: Pause read
    method Mutes() -> (mutes: []MuteOf)

    # `code`: such as H2109. `name`: only for this wearable; null: for the hub and all wearables. `until`: RFC 3339; null:
    # until it is taken back. Durable when this returns.
    #: Pause operate
    method Mute(code: string, name: ?string, until: ?string) -> (mutes: []MuteOf)

    #: Pause operate
    method Unmute(code: string, name: ?string) -> (mutes: []MuteOf)

    # Live values of one wearable or of all, until the client hangs up. Call it with `more`. With `every`, 1 to 3600
    # seconds, only the newest value of each series is sent once in that time, one per reply. A client that does not read is
    # disconnected (H6007).
    #: Live read streams notes; every 1...3600
    method Live(name: ?string, every: ?int) -> (sample: Sample)

    # With `more`: the data of a full-screen view, at each change, at most four times a second, until the client hangs up.
    # Times of the last advertisement, counters, and changes of store figures by less than a hundredth do not count as
    # changes. After five seconds without a change an empty view shows that the hub runs. A client that does not read for 30
    # s is disconnected (H6007). Without `more`: everything, once.
    #: Hub read written
    method Watch() -> (view: HubView)

    # 1 to 3600 seconds; null: as configured.
    #: Enrolment operate; seconds 1...3600
    method EnrollOpen(seconds: ?int) -> (enrolment: Enrolment)

    #: Enrolment read
    method EnrollList() -> (enrolment: Enrolment)

    # `which`: letter, address or advertised name. The enrolment is durable when this returns. An enrolled wearable with
    # unusable keys (H2206, H2207, H2208, H2211) is paired again at its next visit, and keeps everything else. A wearable
    # with a changing address is paired at once, and enrolled under its identity address. If that fails, the error is H2327,
    # H2251 or H2211.
    #: Enrolment operate
    method EnrollAccept(which: string, name: ?string) -> (device: DeviceState)

    #: Enrolment operate
    method EnrollClose() -> ()

    #: Enrolment operate
    method Rename(name: string, new_name: string) -> (device: DeviceState)

    # Forgets a wearable, so that the hub never connects to it again; its samples stay. A wearable that is bound to this hub
    # is unbound first, which takes up to two minutes. If it cannot be reached it is forgotten without that, with H2245 as
    # `warning`.
    #: Enrolment administer
    method Forget(name: string) -> (warning: ?Trouble)

    # Whether items that are safe in the store are erased on the wearable. `choice`: yes, no, ask, or auto (as configured).
    # Durable when this returns.
    #: Enrolment operate
    method EraseSet(name: string, choice: string) -> (device: DeviceState)

    # Whether advertised values are stored while there is no link. `choice`: on, off, or auto (as configured). Durable when
    # this returns.
    #: Enrolment operate
    method ListenSet(name: string, choice: string) -> (device: DeviceState)

    # How long a wearable may be away before it counts as missing. `choice`: whole seconds from 300 on, never, or auto (as
    # configured). Durable when this returns.
    #: Enrolment operate
    method AbsenceSet(name: string, choice: string) -> (device: DeviceState)

    # Visits of a wearable or of all: the running one first, then the newest. `limit`: 1 to 1000, null: 20.
    #: Lane read; limit 1...1000
    method Visits(name: ?string, limit: ?int, why: ?bool) -> (visits: []Visit, queue: []Queued)

    # Puts a wearable first in the queue. A running visit of it counts as the requested one.
    #: Lane operate
    method VisitNow(name: string) -> (queued: Queued)

    # The progress of visits of a wearable, at most twice a second and only at changes. Ends when no visit runs and no
    # requested one waits; the last reply is the result. Left out are visits up to the number `after`, and partial ones,
    # such as for a sync of one kind of data. Call it with `more`.
    #: Lane read streams; after 0...
    method VisitWatch(name: string, after: ?int) -> (visit: ?Visit, queued: ?Queued)

    # Orders a sync of a wearable and visits it next. `series`: names of series or of kinds of data; null: everything.
    # Without a range it continues after the stored data. `automatic_only`: only automatic measurements. Refused while a
    # sync of it runs (H2143), and if no requested data is available (H2131).
    #: Lane operate; series #64
    method SyncNow(name: string, series: ?[]string, since: ?string, until: ?string, automatic_only: ?bool) -> (sync: SyncOf)

    # The progress of the sync of a wearable, at most twice a second and only at changes. The last reply is the result.
    # Null: no sync was ordered. Call it with `more`.
    #: Lane read streams
    method SyncWatch(name: string) -> (sync: ?SyncOf)

    # The items that the wearable holds or held. `last`: only items of the last visit.
    #: Lane read
    method Custody(name: string, last: ?bool) -> (custody: CustodyOf)

    #: Lane read
    method Link(name: string) -> (link: LinkState)

    # Sets a lasting profile. `profile`: foreground, background, idle, or auto (the hub chooses). `central`: only the hub
    # sets the link; the wearable's characteristic is not written.
    #: Lane operate
    method LinkSet(name: string, profile: string, central: ?bool) -> (link: LinkState)

    # The clock of the hub, and of a wearable or of all.
    #: Hub read
    method Clock(name: ?string) -> (clock: Clocks)

    #: Hub read
    method Radio() -> (radio: RadioState)

    # Which wearables keep a link and which take turns, if all enrolled devices are present.
    #: Hub read
    method RadioPlan() -> (plan: SlotPlan)

    # Runs the radio's reset ladder from its first rung. Links are lost for some seconds.
    #: Hub administer
    method RadioRecover() -> ()

    # Pairings that wait for a person.
    #: Enrolment read
    method Pairings() -> (pairings: []Pairing)

    # `answer`: yes, no, or passkey with `passkey`, 0 to 999999.
    #: Enrolment operate; passkey 0...999999
    method PairAnswer(name: string, answer: string, passkey: ?int) -> ()

    # The actions that a wearable offers, and the topics of its `Report`. This and the next two methods wait up to 180 s for
    # a visit if there is no link.
    #: Order read
    method Actions(name: string) -> (actions: []Action, reports: []string)

    # Runs an action. `arguments`: at most 16 words. `result`: what happened, in one sentence.
    #: Order operate; arguments #16
    method Act(name: string, action: string, arguments: ?[]string) -> (result: string)

    # Lets a wearable measure a series now, one at a time. Call it with `more`.
    # - interval_s: between two values, 1 to 255; null: 1.
    # - limit_s: duration, 15 to 255; null: 60. With `until_stopped` a person ends it, after an hour at most.
    # - event: begun; then value for each value with its `sample`, which is stored as a manual one; then end.
    #
    # The measurement stops when the client hangs up. Refused during another measurement (H2139), and for series that the
    # wearable does not measure on order (H2131, which lists those that it does).
    #: Live operate streams notes; interval_s 1...255, limit_s 15...255
    method Measure(name: string, series: string, interval_s: ?int, limit_s: ?int, until_stopped: ?bool) -> (
      event: string, sample: ?Sample, measurement: MeasurementOf
    )

    # Stops the measurement of `Measure`. The client of that call gets the end. Succeeds without a measurement too.
    #: Live operate
    method MeasureStop(name: string) -> ()

    # Measures vital signs from the data that a wearable sends: pulse, variability, breathing and the others that its kind
    # of sensor has. Call it with `more`.
    # - seconds: 20 to 180; null: 60.
    # - person: name or number of the measured person; null: the present wearer.
    # - stays: the session returns to ready after a measurement. `MeasureVitalsStart` begins further ones.
    #   `MeasureVitalsTerminate` ends the session, and so does the end of the connection. `end` is then the end of its last
    #   measurement.
    #
    # `event` is one of:
    # - opened with `session`, first of all,
    # - state with `state`,
    # - values with `values`, each second during the measurement,
    # - warning and error with `notice`,
    # - results with `record`, once, when the record is stored,
    # - end with `end`, the last.
    #
    # Members that an event does not have are null. If there is no link or no stream, the hub makes it first. The session
    # ends without results when the client hangs up. That holds after a lost sensor too: in `initializing` the hub waits for
    # the sensor, but does not measure again. Refused while the wearable or the person is measured (H2139). Also refused if
    # the wearable sends no data for vital signs (H2131, which says what can be done instead).
    #: Live operate streams notes; seconds 20...180
    method MeasureVitals(name: string, seconds: ?int, person: ?string, stays: ?bool) -> (
      event: string, session: ?VitalsSession, state: ?VitalsState, values: ?VitalsMoment, notice: ?VitalsNotice, record: ?VitalsRecord, end: ?VitalsEnd
    )

    # Begins another measurement in a session that stays and is ready. The client of `MeasureVitals` gets its events.
    # `seconds`: 20 to 180, null: 60. H2139 in any other state.
    #: Live operate; seconds 20...180
    method MeasureVitalsStart(name: string, seconds: ?int) -> ()

    # Ends the measurement of `MeasureVitals` early and keeps its results. H2139 without a measurement.
    #: Live operate
    method MeasureVitalsStop(name: string) -> ()

    # Ends a session in any state. A running measurement has no results. Succeeds without a session too.
    #: Live operate
    method MeasureVitalsTerminate(name: string) -> ()

    #: Order read notes
    method Report(name: string, topic: string) -> (report: ReportOf)

    #: Order read
    method Orders(name: string) -> (orders: OrdersOf)

    # Sets orders. Null: no change. The value `none` takes an order back, but not in streams and rates. Durable when this
    # returns, and sent to a wearable at once if it has a link.
    # - streams, rates: series that the wearable does not have are `skipped`. If it has only such series, the order is
    #   refused (H2131).
    # - rates: all wanted ones, from `rate_choices`.
    # - settings: those that change, by name.
    # - measure: when the hub measures vital signs by itself, such as every=4h seconds=60 between=07:00-22:00.
    # - phases: what the hub's own visits fetch: all, or names of phases or series. Taken back: as configured. A phase that
    #   the wearable does not have is refused (H2131).
    # - visit_at: times of day for visits, such as 07:00, even if the data is fresh; or never. Taken back: as configured.
    #: Order operate; streams #255, rates 1...100000 #255, switched_off #16, settings #16, phases #16, visit_at #16
    method OrdersSet(name: string, streams: ?[]string, rates: ?[string]int, switched_off: ?[]string, settings: ?[string]string, measure: ?string, phases: ?[]string, visit_at: ?[]string) -> (orders: OrdersOf)

    # Limits and alerts of a wearable, or of all enrolled ones by name.
    #: Alert read notes
    method Alerts(name: ?string) -> (alerts: []AlertsOf)

    # Null: no change. `limits`: those that change, by kind: a number as text, such as 120 or 38.5, or none. `exercise`:
    # auto, on, off. Durable when this returns.
    #: Alert operate; limits #7
    method AlertsSet(name: string, limits: ?[string]string, exercise: ?string) -> (alerts: AlertsOf)

    # Acknowledges all alerts of a wearable. Durable when this returns.
    #: Alert operate
    method AlertsAcknowledge(name: string) -> (alerts: AlertsOf)

    # Begins or ends a training of a strap without trainings of its own (else H2131). The training is stored as a
    # `training`, durable when the end is answered. A detected training can be ended too. H2139: an ordered one is already
    # under way, or no training can be ended.
    #: Alert operate
    method TrainingBegin(name: string) -> (training: TrainingState)

    #: Alert operate notes
    method TrainingEnd(name: string) -> (training: TrainingState)

    # Monitoring as the hub knows it. `now`: read from the wearable first, as `Report` does.
    #: Order read
    method Monitoring(name: string, now: ?bool) -> (monitoring: MonitoringOf)

    # Orders how a wearable measures a series by itself. Null: no change. Durable when this returns, and sent to a wearable
    # at once if it has a link.
    # - begin, end: only together.
    # - limits: those that change, by kind, as in AlertsSet.
    # - forget: words of `can` for which the order is taken back. Values that this hub changed are then as before.
    #
    # An order that the wearable cannot take is refused (H2131).
    #: Order operate; interval_s 1...86400, limits #4, maximum_heart_rate 100...220, forget #6
    method MonitoringSet(
      name: string,
      series: string,
      on: ?bool,
      begin: ?string,
      end: ?string,
      interval_s: ?int,
      limits: ?[string]string,
      maximum_heart_rate: ?int,
      forget: ?[]string
    ) -> (monitoring: MonitoringOf)

    # The key of encrypted recordings: 32 hexadecimal digits, or one that the hub generates. Null and false: no encryption
    # from now on.
    #: Order administer
    method SecretSet(name: string, secret: ?string, generate: ?bool) -> (orders: OrdersOf)

    # All persons, including retired ones. Parameters accept the name or the number of a wearer.
    #: People read notes
    method Wearers() -> (wearers: []WearerState)

    #: People operate
    method WearerAdd(name: string) -> (wearer: WearerState)

    #: People operate
    method WearerRename(wearer: string, new_name: string) -> (wearer: WearerState)

    # The site's own identifier of the person, 1 to 64 bytes of plain text. Hubs with the same identifier treat the person
    # as one. Null: remove it.
    #: People operate
    method WearerSet(wearer: string, id: ?string) -> (wearer: WearerState)

    # Names with an identifier of the site, each once. Of equal names the one of a person that is not retired.
    #: People read
    method WearerIds() -> (ids: []WearerId)

    # Wearables can no longer be assigned to the wearer; past assignments stay.
    #: People operate
    method WearerRetire(wearer: string) -> (wearer: WearerState)

    # The data that erasing a person would delete.
    #: People administer
    method WearerErasePlan(wearer: string) -> (erasure: Erasure)

    # Deletes a person with all their samples, if their number is `losing`. Returns when all is deleted.
    #: People administer; losing 0...
    method WearerErase(wearer: string, losing: int) -> (erasure: Erasure)

    # The log of reads of measured values, newest first. `of`: a wearer or a wearable. `limit`: 1 to 1000, null: 100.
    #: People administer; limit 1...1000
    method Accesses(of: ?string, since: ?string, until: ?string, limit: ?int) -> (accesses: []Access)

    # Null: no change. `forget`: parameters of this method by name, as if they had never been entered. A wearable on this
    # wearer keeps what it has. `take_off`: a wearable forgets the body when no person wears it any more. A wearable on
    # another wearer gets the known values of that one. The rest is as before the hub changed it, or the vendor's default.
    #: People operate; height_cm 90...240, weight_kg 15...300, maximum_heart_rate 100...240, resting_heart_rate 20...120, vo2_max 10...95, sleep_goal_minutes 300...660, forget #10
    method WearerBody(
      wearer: string,
      born: ?string,
      sex: ?string,
      height_cm: ?int,
      weight_kg: ?int,
      maximum_heart_rate: ?int,
      resting_heart_rate: ?int,
      vo2_max: ?int,
      training_background: ?string,
      typical_day: ?string,
      sleep_goal_minutes: ?int,
      take_off: ?bool,
      forget: ?[]string
    ) -> (wearer: WearerState)

    #: People read
    method Assignments(name: string) -> (assignments: AssignmentsOf)

    # Assigns a wearable. `wearer` null: to no person. `from` null: now; a time may lie in the past or in the future. The
    # assignment holds until the next one.
    #: People operate
    method Assign(name: string, wearer: ?string, from: ?string) -> (assignments: AssignmentsOf)

    # Corrects the assignment that begins at `begin`, to the second: its begin (`from`), its wearer, or with `nobody` that
    # there is no wearer. Null: no change. `dry`: only returns the effect.
    #: People operate
    method AssignmentCorrect(
      name: string, begin: string, from: ?string, wearer: ?string, nobody: ?bool, dry: ?bool
    ) -> (correction: CorrectionOf)

    # Deletes an assignment, as if it had never been entered: its samples belong to the assignment before it.
    #: People operate
    method AssignmentDelete(name: string, begin: string, dry: ?bool) -> (correction: CorrectionOf)

    #: Store read
    method Store() -> (store: StoreState)

    # The newest samples of a series of the wearable's present enrolment. `count`: 1 to 1000, null: 60.
    #: Store read notes; count 1...1000
    method StorePeek(name: string, series: string, count: ?int) -> (peek: Peek)

    # Reads and checks all stored data: seconds to minutes. With `more`, earlier replies report the progress at most once a
    # second.
    #: Store read written
    method StoreVerify() -> (verify: ?Check, percent: int)

    # The samples that a purge would delete: whole chunks with only samples from before `before`. Null: any wearable, series
    # or time.
    #: Store read
    method StorePurgePlan(name: ?string, series: ?string, before: ?string) -> (purge: Purge)

    # Deletes these samples. `losing` is their number by the plan; H4103 if it has changed.
    #: Store administer; losing 0...
    method StorePurge(name: ?string, series: ?string, before: ?string, losing: int) -> (purge: Purge)

    # Deletes an export cursor. Its reader's next export begins with the oldest sample. H6005: no cursor has this name.
    #: Store administer
    method StoreForgetCursor(cursor: string) -> (reader: Reader)

    # Measured values of a series, page by page.
    # - name: a wearable, or else a wearer with all wearables of that person.
    # - kind: normal, maximum, minimum, resting. manual: true manual, false automatic. Null: all.
    # - since is included, until is not.
    # - after: `next` of the page before.
    # - limit: 1 to 1000, null: 1000.
    #: Store read notes; limit 1...1000
    method Items(
      name: string, series: string, since: ?string, until: ?string, kind: ?string, manual: ?bool, after: ?string, limit: ?int
    ) -> (items: ItemsOf)

    # The newest measurements of vital signs. `name`: a wearable, or else a wearer with all wearables that measured that
    # person. `limit`: 1 to 200, null: 20; with `intervals` to 50.
    #: Store read notes; limit 1...200
    method Measurements(name: string, limit: ?int, intervals: ?bool) -> (measurements: VitalsRecordsOf)

    # A day with its lists. `name`: a wearable, or else a wearer. `date`: any time of that day; null: today.
    #: Store read notes
    method Daily(name: string, date: ?string, series: ?string) -> (daily: DailyOf)

    # The local days of a wearable. Each day with a part in the range is complete, from its 00:00 to its end. `name` can be
    # a wearer, by name or number, unless a wearable has that name. The days then cover all wearables of that person, while
    # the person wore them. `others` are the second and further wearables.
    #: Store read notes
    method Days(name: string, series: ?string, since: ?string, until: ?string) -> (days: DaysOf, others: ?[]DaysOf)

    # The coverage of a wearable's series in a span of time, with reasons for gaps if the hub knows them. Without a series:
    # all series with samples in the span or within seven days before it. `until` null: now. `since` null: 24 hours before.
    # At most 400 days. `name` can be a wearer, as for `Days`. The answer then has each wearable that the person wore in the
    # span, for the times in which the person wore it. `others` are the second and further wearables.
    #: Store read
    method Coverage(name: string, series: ?string, since: ?string, until: ?string) -> (
      coverage: CoverageOf, others: ?[]CoverageOf
    )

    # Events, newest first; with a name or an address, those of that wearable. `limit`: 1 to 1000, null: 50. `code`: one
    # (H2102) or a block (H21xx, H21). `since` is included, `until` is not. The whole stored log is searched for up to
    # `limit` events.
    #: Store read; limit 1...1000
    method Events(limit: ?int, name: ?string, code: ?string, since: ?string, until: ?string) -> (events: []Event)

    # Durable samples: ring by ring, each in order of arrival, then samples that are not in a ring yet. Call it with `more`:
    # each reply is one page, and the next is made when this one was read.
    # - since is included, until is not.
    # - cursor: only what its reader has not confirmed; not with times or a person.
    # - devices, all_series: further ones of each.
    # - person: a name or a number: samples of that person, of all wearables.
    # - ordinals: samples have their places (`enrolment`, `way`, `ordinal`), and the reply has the identity of the `store`,
    #   else null. `parts` is there if a sample takes several places: this one and those directly before it.
    # - brief, only with ordinals: a sample may have `like`, the position (from 0) of an earlier sample in its reply with
    #   the same other members. Then it has only `after`, microseconds from that one's `time`, `value`, `ordinal` and, if
    #   needed, `end` and `parts`.
    # - gaps: rows that are missing on this page; null: no row.
    #: Export read streams notes
    method Export(
      device: ?string, series: ?string, since: ?string, until: ?string, cursor: ?string, ordinals: ?bool, brief: ?bool,
      devices: ?[]string, all_series: ?[]string, person: ?string
    ) -> (
      samples: []Sample, corrupt_chunks: int, store: ?string, corrections: ?[]Correction, corrections_missed: ?int, retimed: ?[]Sample,
      gaps: ?[]MissingRows
    )

    # A page of rows that the reader of this cursor has not confirmed; call it again for the next page.
    # - The first call of a connection begins after the confirmed rows. Another cursor, device or series begins again.
    # - confirm: the reader has safely stored all earlier pages of this connection. That is durable when this returns. After
    #   the last page, a call with `confirm` confirms it and returns no rows; a call without it begins again.
    # - by: name of the caller, for people.
    # - corrections, before the samples of the first page: rows that this reader confirmed before and that now belong to
    #   another wearer. Confirmed with the page. corrections_missed: number of earlier ones that are no longer stored.
    # - retimed, with any page: rows that this reader confirmed with the time of a wrong clock, now corrected. Each replaces
    #   the row of its ring with its ordinal, or of its wearable and series with the time `was`. Confirmed after all of them
    #   were returned.
    # - limit: rows of a page, 1 to 512, null: 512.
    # - ordinals, brief, gaps: as in Export.
    #: Export read written notes; limit 1...512
    method ExportNext(
      cursor: string, device: ?string, series: ?string, confirm: ?bool, by: ?string, limit: ?int, ordinals: ?bool, brief: ?bool,
      devices: ?[]string, all_series: ?[]string
    ) -> (
      samples: []Sample, corrupt_chunks: int, last: bool, store: ?string, corrections: ?[]Correction, corrections_missed: ?int, retimed: ?[]Sample,
      gaps: ?[]MissingRows
    )

    # The present state of each light.
    #: Hub read
    method Lights() -> (lights: LightsState)

    # Shows the locate pattern, which ends after 30 s; `on: false` ends it now.
    #: Hub operate
    method Locate(on: ?bool) -> ()

    # The configuration in force, key by key.
    #: Hub read
    method ConfigShow() -> (settings: []Setting)

    # A bond without its keys. `address_type`: public, random. `lost`: one side no longer knows the key.
    type BondState (
      device: string,
      address: string,
      address_type: string,
      created_at: string,
      authenticated: bool,
      secure_connections: bool,
      identity_key: bool,
      lost: ?bool
    )

    # A key in hexadecimal digits; `kind` as in the store.
    type BondKey (kind: int, key: string)

    # A bond with its keys. `created_at`: microseconds since 1970.
    type KeyedBond (
      name: string,
      kind: string,
      driver: string,
      address: string,
      address_type: string,
      created_at: int,
      keys: []BondKey
    )

    # The bonds of the hub, without the keys.
    #: Bond read
    method BondList() -> (bonds: []BondState)

    # The keys of all bonds, for sealing: only for root and for the daemon's own user.
    #: Bond administer
    method BondKeys() -> (hub: string, bonds: []KeyedBond)

    # Imports bonds of another hub, at most 64 per call; wearables that are not enrolled are enrolled. Durable when this
    # returns. Only for root and for the daemon's own user.
    #: Bond administer; bonds #64
    method BondImport(bonds: []KeyedBond) -> (imported: int)

    # Deletes the keys of a wearable, which stays enrolled. `name`: its name or address.
    #: Bond administer
    method BondRemove(name: string) -> ()

    # A backup of the store, page after page of one connection; `begin` starts it. `page`: base64 of rows
    # (Sources/RingStore/Backup), with keys in clear. Only for root and for the daemon's own user. Refused (H4205) if it
    # took too long, or if the hub needed the room that it keeps.
    #: Bond administer
    method BackupNext(begin: ?bool, samples: ?bool) -> (page: string, last: bool)

    # Reports the result of a backup. `made_at`: its time, microseconds since 1970. `failure`: why it failed.
    #: Bond administer; made_at 0...
    method BackupTell(made_at: ?int, failure: ?string) -> ()

    # A refusal. The members are those of Trouble.
    error Refused (code: string, area: string, sentence: string, detail: string, effect: string, next: string)

    """#

  /// `org.varlink.service`, as the Varlink documentation has it.
  package static let service = #"""
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
