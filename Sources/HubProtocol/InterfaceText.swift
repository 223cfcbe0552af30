// The interfaces as the daemon describes itself.
//
// Made by `generate` from the two *.varlink beside it. Do not edit.
// swift-format-ignore-file

package enum InterfaceText {
  package static let name = "io.hearth.Hub"

  package static let hub = #"""
    # A Hearth hub: what it knows, who may join it, what it measured.
    #
    # Times are RFC 3339 in UTC with milliseconds. Where a time is taken, so are the forms that people use, in the zone of the hub: today, yesterday,
    # 14:30, 2026-11-22, 2026-11-22 10:00, 2h ago as 2h; another is refused (H6010). A date alone is that local day: its start, as `until` its end. What is unknown is null. Members are only ever added; `schema` names the meaning of a
    # document and changes if it ever has to.
    #
    # A line that begins with a colon says of its method: which part of the hub has it, the role that it needs (read, operate, administer), whether it
    # has to be called with `more` (streams) or writes its
    # replies itself (written), and whether it gives out what was measured, which is kept for `Accesses` (notes). Behind the semicolon are
    # the bounds of its parameters: of numbers a range, of lists and maps (#) how many entries they may have. Texts have 1 to 256 bytes.
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

    type RadioPhase (starting, ready, down)

    type RadioStatus (
      state: RadioPhase,
      adapter: string,
      address: ?string,
      # public, random; null where there is no address.
      address_type: ?string,
      bus: string,
      # Links the kernel has, and how many the controller is believed to carry.
      links: int,
      slots: int,
      scanning: bool,
      # Why it is down.
      reason: ?Trouble,
      # The reset ladder is at work, and on which rung; of the past the rung that was tried last.
      recovering: bool,
      rung: ?string,
      counters: [string]int
    )

    # Something that needs a person; no device: the hub itself. muted_until: in a list of muted troubles, by the clock as it is now; null: until the mute is taken back.
    type Attention (device: ?string, reason: Trouble, muted_until: ?string)

    # Why a visit is made.
    type VisitTrigger (seen, operator, schedule, resumption, announcement)

    # Where a visit is.
    type VisitStage (connect, identify, check, list, fetch, verify, store, erase, finish, ended)

    # How far the link of a running visit is.
    type VisitConnection (connecting, authenticating, preparing, connected)

    type VisitOutcome (done, interrupted, slice_over, busy, refused, broken, silent, no_room, needs_attention, abandoned)

    # One visit, past or running.
    type Visit (
      schema: string,
      number: int,
      device: string,
      trigger: VisitTrigger,
      began: string,
      # Null while it runs, and for good if the hub died in it.
      ended: ?string,
      running: bool,
      stage: VisitStage,
      # Of a running one, if the wearable belongs to one host and accepts it first. Null for all others; of one that ended the detail of its reason says
      # at which of them it did.
      connection: ?VisitConnection,
      # Null while it runs.
      outcome: ?VisitOutcome,
      reason: ?Trouble,
      # Of one that ended without a reason: why nothing was fetched, or what was.
      remark: ?string,
      bytes_fetched: int,
      items_done: int,
      items_listed: int,
      # The item in work: its id, bytes so far, bytes altogether, and percent of these.
      item: ?string,
      item_fetched: ?int,
      item_size: ?int,
      percent: ?int,
      # Bytes a second.
      rate: ?int,
      # When fetching will be over at this rate.
      expected_end: ?string,
      # Of the time that one wearable may hold the lane at a stretch.
      slice_used_ms: ?int,
      slice_ms: ?int
    )

    # By what right a wearable has its turn, first to last.
    type LanePriority (
      # Its slot is kept for it.
      reserved,
      # There for seconds.
      brief,
      operator,
      # Was steady, lost its link.
      recovering,
      first_contact,
      # Was of use, lost its link.
      returning,
      scheduled,
      unresponsive
    )

    # Why an attempt to connect a wearable may not begin now.
    type LaneHold (
      # It does not serve.
      radio,
      # Another visit has it.
      lane,
      pairing,
      # With held_until.
      pace,
      attempts,
      steady_first,
      newcomer_first,
      recovering_first,
      brief_first,
      unproven
    )

    # How a wearable would come to a slot now.
    type SlotOutlook (
      # It needs none.
      linked,
      free,
      # Attempts may take the free one.
      attempted,
      # One is being given up.
      vacating,
      # By slot_of, which yields to it at slot_at.
      taken,
      # Nothing yields to it.
      none
    )

    # Who waits for the lane, and why. fetches: false where it keeps nothing, and being linked is all that is wanted.
    type Queued (
      device: string,
      why: string,
      not_before: ?string,
      trigger: VisitTrigger,
      fetches: bool,
      # In the answer of VisitNow: the visit that was asked for has a higher number.
      after: ?int,
      priority: ?LanePriority,
      # What follows is told with why: true alone. Null: an attempt may begin now.
      held_by: ?LaneHold,
      held_until: ?string,
      slot: ?SlotOutlook,
      slot_of: ?string,
      slot_at: ?string,
      # A connect would find it.
      heard: ?bool
    )

    # Who holds the lane, and who waits for it.
    type Lane (holder: ?string, queue: []string, visit: ?Visit, waiting: []Queued)

    # zone: in which the hub's days begin and people read its times, for example Europe/Berlin.
    type HubClock (time: string, synchronised: bool, plausible: bool, zone: string)

    # How long turns of the loop kept everybody else waiting, since start: 50 and 99 of 100 were at most turn_p50_ms and turn_p99_ms (within an eighth).
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
      # Away for longer than they should be.
      missing: int,
      # Left alone, by order; null: none.
      paused: ?int,
      live: int,
      lane: Lane,
      enrolment: Enrolment,
      store: StoreState,
      clock: HubClock,
      attention: []Attention,
      # What would stand in `attention` and is muted; null: nothing.
      muted: ?[]Attention,
      loop: ?Loop,
      counters: [string]int,
      # When the newest backup was made.
      backup_at: ?string
    )

    # All slots of the adapter are taken. `since`: when the last one was; null where others than the hub have links. `holders`: names, the longest linked
    # first. `next`: who yields next to whoever waits first, and from when on. `place`: its own in the line, from 1.
    type SlotWait (links: int, slots: int, since: ?string, holders: []string, next: ?string, next_at: ?string, place: int)

    # What stayed beyond a limit that people set, until somebody acknowledges it. No medical alarm. kind: rest-above, rest-below, exercise-above, exercise-below
    # (of heart_rate), spo2-below, temperature-above, temperature-below. source: hub (its watch of live values), wearable (it says so itself). value: with which
    # it was raised last. since, last: when it was raised first and last. ended: since when it is over: the value was back inside for a minute; null: it is not.
    # muted_until: as of Attention.
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

    # A trouble of a wearable that is muted: the members of Trouble, and until when, by the clock as it is now; null: until the mute is taken back.
    type MutedTrouble (code: string, area: string, sentence: string, detail: string, effect: string, next: string, muted_until: ?string)

    # A training that the hub makes of the heart rates of a strap. origin: found (inferred: begin and end are where the heart rate rose and fell), ordered.
    # ends: null while it is under way. active_s: without its pauses. known_s: for how long there was a heart rate; of that time are zones (1 to 5 by the
    # maximum heart rate, null where that is unknown), rates and calories (by heart rate, sex, age and weight; null where they are not known; calories_known_s:
    # of how much of the time; extrapolated: not of the people that the formula was made of).
    type Effort (
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

    # A limit that may be set, and what is; null: nothing.
    type AlertLimit (kind: string, series: string, unit: string, lowest: float, highest: float, limit: ?float)

    # What is watched of the live values of one wearable. exercise_choice: auto (as wearables of the same wearer tell), on, off. exercise: what is measured now
    # counts as exercise.
    type AlertsOf (schema: string, device: string, limits: []AlertLimit, exercise_choice: string, exercise: bool, alerts: []Alert, muted: ?[]Alert)

    # How one series is measured automatically; null: not ordered, or not said. begin, end: a part of each day, 08:00 to 24:00 in the wearable's local time.
    # interval_s: between two measurements. limits: bounds beyond which the wearable warns by itself, by kind (those of AlertLimit), in the series' unit.
    type MonitoringValues (
      on: ?bool,
      begin: ?string,
      end: ?string,
      interval_s: ?int,
      limits: [string]string,
      maximum_heart_rate: ?int
    )

    # One series that a wearable measures by itself. can: what of it can be ordered: on, window, interval, rest_limits, exercise_limits, maximum_heart_rate.
    # lowest_s, highest_s: intervals that may be ordered, multiples of step_s; of some wearables those of only_s alone (else empty). asked: what is ordered. got:
    # as it was read back when that was brought about. says: as it was read last. progress: none (nothing is ordered), waiting (it was not asked yet), taken,
    # refused.
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

    # How one wearable measures by itself. since: since when it says so; null: it was never read. reason: why an order was not taken; null: none was refused.
    type MonitoringOf (schema: string, device: string, series: []MonitoredSeries, since: ?string, reason: ?Trouble)

    # What a wearable is doing, or why nothing.
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
      # Nothing came over its link for half a minute.
      linked,
      waiting,
      # A person has to act, also while it is linked.
      attention,
      # Left alone, by order.
      paused
    )

    # critical is H2230, low H2142.
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
      # Id of its driver, and of the one that its next link has, where that is another.
      driver: ?string,
      next_driver: ?string,
      # dBm
      rssi: ?int,
      # Percent, and when it was read.
      battery: ?int,
      battery_at: ?string,
      # Null: never read, or longer than a day ago.
      battery_charge: ?BatteryCharge,
      # When it was heard last, or its link ended, also before the hub started.
      last_seen: ?string,
      # It is missing when it was away for longer; null: it may be away for ever. And an operator's lasting choice of that; null: as configured, 0: for
      # ever.
      absent_after_s: ?int,
      absent_choice_s: ?int,
      # When a live value came last, whichever.
      last_value_at: ?string,
      # Beats per minute of now, and when they were measured; null as soon as the newest are too old for that.
      heart_rate: ?int,
      heart_rate_at: ?string,
      # The same of what it advertises while it has no link, which anybody could send.
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
      # Whether it is charging, and what is wrong with its battery, as it says itself.
      charging: ?string,
      # What it measures, or calls so, of which nothing is kept, and why.
      not_served: ?string,
      # What it told that was left out, or taken although it was odd, by reason, since the hub started; null: nothing. Views (`Watch`) leave it out.
      oddities: ?[]Oddity,
      # What can be had of it, series by series: what it announced over a link, as far as its driver carries it out. Null: not known yet, as it had no
      # link since it was enrolled, or since its firmware changed. Views (`Watch`) leave it out.
      capabilities: ?[]SeriesCapabilities,
      # Who wears it now.
      wearer: ?string,
      # The visit that is running, and the last one that ended.
      visit: ?Visit,
      last_visit: ?Visit,
      # Its place in the queue for the lane.
      queued: ?Queued,
      # Why it has no link although it waits: no slot is free. Null: it does not wait, or not for a slot.
      slot_wait: ?SlotWait,
      # The hub tries again only when it was away and is heard again, or when somebody asks.
      cools_off: bool,
      # A measurement of it is under way, of vital signs or of a series. Null: none.
      measuring: ?bool,
      # foreground, background, idle: what its link was asked to keep, and whose numbers it keeps.
      requested_profile: ?string,
      effective_profile: ?string,
      # yes, no, ask: whether anything that is safe in the store is removed on it; ask: only in a visit that an operator asked for. order: only what a person
      # orders. none: it keeps nothing that could be removed.
      erase: string,
      # An operator's lasting choice of these; null: as configured.
      erase_choice: ?string,
      # Whether values that it advertises are kept while it has no link; null where its family has none. And an operator's lasting choice; null: as configured.
      listens: ?bool,
      listen_choice: ?bool,
      # Bytes on the wearable.
      memory_free: ?int,
      memory_total: ?int,
      # Phases that visits leave out by order, unless a person asks for them; null: none.
      left_out: ?[]string,
      # Since when it is left alone by order, and until when by the clock as it is now; null: it is not, or until it is resumed.
      paused_since: ?string,
      paused_until: ?string,
      # What would be its `reason`, or one of its `alerts`, and is muted; null: nothing.
      muted: ?[]MutedTrouble,
      # What was beyond a limit, is not acknowledged and not muted; null: nothing.
      alerts: ?[]Alert,
      # A training that the hub finds in its heart rates, or was told of, while it is under way.
      effort: ?Effort,
      counters: [string]int
    )

    # Values of a wearable that were left out, or taken although they were odd, for one reason: how many, and when the last one came.
    type Oddity (what: string, count: int, last_at: string)

    # What can be had of one series of a wearable. `can`: live (sent over a link), recorded (in recordings that somebody begins), history (kept without
    # being asked), streamed (sent for as long as that is ordered), on_demand (measured once when that is ordered), monitoring (measured by itself),
    # monitoring_window and monitoring_interval (when and how often can be ordered), denser (more densely when it is ordered), resting (its value at rest),
    # rest_alert, exercise_alert (it warns of a value beyond bounds). came: whether a value of it ever came over a link; null: it is not sent.
    type SeriesCapabilities (series: string, can: []string, came: ?bool)

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

    # What is not in a ring yet.
    type Journal (samples: int, chunks: int, bytes: int, oldest: ?string)

    # One series of one wearable, by one way in.
    type Ring (
      device: string,
      series: string,
      # live, fetched
      way: string,
      samples: int,
      chunks: int,
      bytes: int,
      # Null: no bound.
      quota_bytes: ?int,
      keep_seconds: ?int,
      # At the bound: oldest goes, or refuse what could be fetched.
      evict: string,
      oldest: ?string,
      newest: ?string,
      bytes_per_day: ?int,
      # No reader has confirmed them.
      unexported: int,
      # Deleted to keep the bounds, ever; of these, such that no reader had confirmed; the time that all of it spanned.
      evicted_samples: int,
      evicted_unexported: int,
      evicted_from: ?string,
      evicted_to: ?string,
      # Deleted by a person, ever.
      purged_samples: int,
      # At its bound; what is new is left on the wearable.
      refuses: bool
    )

    # What was written to the card: since midnight where the hub is, by all writers of the store ever, and in a year at the pace of the last seven days.
    type Wear (bytes_today: int, budget_per_day: ?int, over_budget: bool, odometer: int, forecast_per_year: ?int)

    # A cursor of exports.
    type Reader (name: string, created_at: string, confirmed_at: string, samples: int, by: string)

    type StoreState (
      schema: string,
      path: string,
      # Bytes of the file, in use, free to be used again, and the bound of the file.
      file_bytes: int,
      used_bytes: int,
      free_bytes: int,
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
      journal: Journal,
      # By wearable and series; null in a HubState.
      rings: ?[]Ring,
      # No reader has confirmed them.
      unexported: int,
      # By name; null in a HubState.
      readers: ?[]Reader,
      # Deleted to keep the bounds, ever; of these, such that no reader had confirmed; the time that all of it spanned.
      evicted_samples: int,
      evicted_unexported: int,
      evicted_from: ?string,
      evicted_to: ?string,
      # Lost since start because the disk refused them.
      dropped_samples: int,
      corrupt_chunks: int,
      corrupt_records: int,
      # Bytes kept of items that are not whole yet; since start: bytes of these that were given up for want of room and are fetched again, and
      # records of custody that gave way.
      staged_bytes: int,
      staged_given_up: int,
      custody_given_way: int,
      # Bytes of damaged files that were set aside in the store's folder; the hub deletes none of them.
      aside_bytes: ?int,
      # Read transactions of the database, open and possible.
      reader_slots_used: int,
      reader_slots: int,
      bytes_written_today: ?int,
      wear: Wear,
      wearables: int,
      reason: ?Trouble,
      daemon: bool,
      # Which store this is: 16 hexadecimal digits; null in a HubState, and until somebody asked for rows with ordinals.
      identity: ?string
    )

    # Optional members are left out where they do not apply.
    type Sample (
      device: string,
      address: string,
      # heart_rate, rr_interval, acc, ...
      series: string,
      time: string,
      # A number; of a vector a list of numbers, of a waveform a list of samples.
      value: ?object,
      unit: ?string,
      # live, fetched, replayed, advertised
      origin: string,
      # maximum, minimum, resting; without it a normal value
      kind: ?string,
      # The user started the measurement.
      manual: ?bool,
      # Of an interval.
      end: ?string,
      # Who wore it.
      wearer: ?string,
      # Of a waveform in an encoding of the wearable's own.
      encoding: ?int,
      # Of a waveform: from sample to sample.
      period_ns: ?int,
      count: ?int,
      # Kind of a record.
      record: ?int,
      # Base64.
      data: ?string,
      # unsure: the time does not rest on a clock that a time server had set; corrected: it did not, and was corrected
      # since; without it it does
      clock: ?string,
      # Of a row that was corrected after its reader had it: the time it had then.
      was: ?string
    )

    # The newest samples of a series, in order of time.
    type Peek (schema: string, device: string, series: string, unit: string, layout: string, samples: []Sample)

    # The time of a day in one of the classes of a series, such as a stage of sleep.
    type DayState (state: int, seconds: float)

    # A value of a day, and when it was measured.
    type DayValue (value: float, time: string)

    # What a day says of one value of a series. `name`: of a vector its component, such as systolic; else empty. `maximum`, `minimum`: of items that the wearable
    # marked so, never the largest value at hand. `derived_max`, `derived_min`: of normal items, only where none is marked. `average`: of normal items, to one
    # decimal. `resting`: of items that the wearable marked so, the latest by its time.
    type DayPart (
      name: string,
      maximum: ?DayValue,
      minimum: ?DayValue,
      derived_max: ?DayValue,
      derived_min: ?DayValue,
      average: ?float,
      resting: ?DayValue
    )

    # A local day. Values are in the unit of the series. `minimum`, `maximum`: the lowest and the highest there is of the first value, marked or not; `parts` tell them apart.
    type Day (
      date: string,
      # Its 00:00, and that of the next day.
      start: string,
      end: string,
      # Normal items; of these, how many the user started, and the others.
      count: int,
      manual: int,
      automatic: int,
      # Items that their wearable itself doubts: in none of the other numbers.
      doubtful: int,
      minimum: ?float,
      maximum: ?float,
      mean: ?float,
      resting: ?float,
      # Of what is counted.
      sum: ?float,
      # Of numbers of classes, which have none of the values above.
      states: []DayState,
      first: string,
      last: string,
      # Who wore it between these, by name, in the order of time.
      wearers: []string,
      # One, or of a vector one for each component; of classes none.
      parts: []DayPart
    )

    type SeriesDays (series: string, unit: string, days: []Day, overflowed: int, malformed: int)

    # A night that ended on a day. Seconds; what was aimed at, and what the sleeper said of it, from 1 (poor) to 5 (well).
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

    # What a night was worth: recovery from 1 to 6 and how far within that step (0 to 100), the autonomic nervous system from 1 to 5 and against
    # the usual; means of the night from beat to beat, RMSSD and breath to breath, and the wearer's usual ones.
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

    # Part 0 is the whole training, from 1 on the exercises it was made of. The number of the sport is the wearable's own. Active time.
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
      # The hub found it in the heart rates of the wearable, or was told to (manual); else the wearable recorded it.
      by_hub: bool
    )

    # A local day of one wearer. Shared: somebody else wore it for a part of a time of which distance or calories were told as one sum.
    type DayLine (
      date: string,
      wearer: ?string,
      steps: ?int,
      distance_m: ?float,
      # Of activity, of trainings, of rest.
      calories_kcal: ?float,
      training_calories_kcal: ?float,
      basal_calories_kcal: ?float,
      shared: bool,
      # By class of active_time.
      activity: []DayState,
      lowest_heart_rate: ?int,
      mean_heart_rate: ?float,
      highest_heart_rate: ?int,
      resting_heart_rate: ?int,
      nights: []Night,
      recharge: ?Recharge,
      trainings: []Training
    )

    # Lines are only there where no series was asked for. Days without items are left out. Items that no day counts: of more than 4,000 days, and such as no program of Hearth writes.
    type DaysOf (schema: string, device: string, zone: string, lines: []DayLine, series: []SeriesDays)

    # One measured value with all that is said of it.
    type Item (
      device: string,
      start: string,
      # The same as `start` but of an interval.
      end: string,
      duration_s: float,
      # Of a vector its first component, and `components` all of them.
      value: float,
      components: []float,
      # normal, maximum, minimum, resting
      kind: string,
      # By hand: somebody started the measurement. Else automatic.
      manual: bool,
      # live, fetched, replayed, advertised
      origin: string,
      # low: the wearable doubted it; null: nobody did.
      quality: ?string,
      # Who wore it.
      wearer: ?string,
      # unsure: the time does not rest on a clock that a time server had set; corrected: it did not, and was corrected
      # since
      clock: ?string
    )

    # Ascending by begin; of one moment what was measured by hand first, then in the order of arrival. `name`: the wearable or the wearer they are of. `components`:
    # names of those of a vector. `next`: for `after` of the next page; null: there is no more.
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

    # A series on one day. `place`: of a temperature where it was measured, such as skin; null: nobody says. `devices`: whose items they are: what is measured is of
    # all that somebody wore; what is counted, and classes, of one each. Lists are ascending by begin, by hand and automatic of normal items; `left_out`: items that
    # they have no room for, which `Items` lists.
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

    # How much of a sleep one stage is. `stage`: unknown, awake, rem, light, deep. `percent`: of the sleep without the time awake; null of what is no sleep. `episodes`: how often it began.
    type SleepStage (stage: string, seconds: float, percent: ?float, episodes: int)

    # `seconds`: with the time awake, without what lies between pieces. Awake at the end is none of it.
    type SleepSum (from: string, to: string, seconds: float, asleep_s: float, stages: []SleepStage)

    # A run of stages without a rest of more than 20 minutes. `kind`: night (began between 20:00 and 09:00), nap (by day, 20 minutes to 3 hours of sleep), other.
    type SleepSegment (kind: string, sum: SleepSum)

    # The sleep of a date, from 20:00 to 20:00: its nights, these with its naps, the longest one that began between 20:00 and 08:00, the longest of any kind.
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

    # One local day, 23 to 25 hours long, of a wearable or of all that a wearer wore on it. `lines`: sums, nights and trainings as each wearable tells them.
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

    # Why a part of a gap has no values.
    type GapReason (
      # It was there and is gone.
      evicted,
      not_enrolled,
      # People chose that it is not taken.
      by_order,
      hub_down,
      radio_down,
      no_slot,
      # With its code.
      visit_failed,
      # A visit said so.
      not_recording,
      # The wearable may still hold it.
      not_fetched,
      # Its battery rose in between.
      charging,
      out_of_reach,
      unknown
    )

    # A part of a gap and why nothing is there. `code`: of the event or visit that says so; `text`: its words.
    type GapCause (from: string, to: string, cause: GapReason, code: ?string, text: ?string)

    type Gap (from: string, to: string, seconds: float, causes: []GapCause)

    # What a series has of a span of time. `occasional`: its values come when there is an occasion; then nothing is a gap and `share` is null.
    # `way`: live, fetched: on which most of it comes. `period_s`: from value to value, usually; `tolerance_s`: a stretch without values that is longer is a gap.
    # `gaps`: in order of time, at most 1000: of more the longest, and how many were left out. `damaged`: chunks that cannot be read.
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

    # `seconds`: of the span, whose times are rounded to milliseconds.
    type CoverageOf (schema: string, device: string, zone: string, since: string, until: string, seconds: float, series: []SeriesCoverage)

    # `from` and `to`: since when and until when it was so (a link gone, the hub not running, the radio down); `from` alone: it has not ended yet.
    # `count`: it happened that often between the two; null: once.
    type Event (number: int, time: string, code: string, area: string, device: ?string, text: string, from: ?string, to: ?string, count: ?int)

    # What one user was given of one wearable by one method in one UTC day.
    type Access (
      first: string,
      last: string,
      uid: int,
      # As the machine calls the user.
      user: ?string,
      # Of this interface: Export.
      method: string,
      # Null: what is known of people, such as their bodies.
      device: ?string,
      # Numbers of those who wore it when it was measured, and their names as far as they have one now.
      wearers: []int,
      names: []string,
      # There were more wearers than are kept.
      more_wearers: bool,
      series: []string,
      # Earliest and latest time of what was given.
      from: ?string,
      to: ?string,
      samples: int,
      calls: int,
      # The export cursor.
      cursor: ?string
    )

    type ErasedPart (device: string, series: string, way: string, samples: int, unexported: int, from: string, to: string)

    # What erasing a person deletes, and where copies may be that it does not reach.
    type Erasure (
      schema: string,
      wearer: int,
      name: string,
      samples: int,
      # Confirmed by no reader of an export.
      unexported: int,
      parts: []ErasedPart,
      # Times at which something was put on the person.
      assignments: int,
      # One sentence each.
      copies: []string,
      # Items of rings that went; null: nothing was deleted yet.
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
      # Whose samples these are, as far as anybody said.
      wearers: []string,
      series: string,
      way: string,
      samples: int,
      # No reader has confirmed them.
      unexported: int,
      from: string,
      to: string
    )

    # purged: how many went; null for a plan. held: pages of the store's file that still hold deleted samples, as somebody reads an older state of
    # it; 0: everything was overwritten; null: a plan, or the disk refused.
    type Purge (schema: string, samples: int, unexported: int, parts: []PurgePart, purged: ?int, held: ?int)

    # sentence and next: what the code means, and what to do.
    # over: true where the reason of its code holds no longer, as a lamp shows a code for ten seconds at least.
    type Light (
      lamp: string, colour: string, pattern: string, timing: string, meaning: string, code: ?string, sentence: ?string, next: ?string, over: ?bool
    )

    # night: day, dimmed, cannot_dim; null where no night is configured.
    type LightsState (schema: string, language: string, lights: []Light, night: ?string)

    # How far one series of a wearable is stored: the `end` of the newest item whose time is known, null where none is. `refused`: items that said that
    # they are of the future, since it was enrolled.
    type SyncMark (series: string, end: ?string, refused: int)

    # How a measurement by order ended.
    type MeasurementEnd (
      # Its time is over.
      limit,
      # By a person.
      stopped,
      # It ended by itself.
      by_wearable,
      # With a reason, also if it ended without a value (H2153).
      failed
    )

    # What came of a measurement by order.
    type MeasurementOf (
      schema: string,
      device: string,
      series: string,
      # Null while it measures.
      end: ?MeasurementEnd,
      # So far; all of them are stored.
      values: int,
      reason: ?Trouble
    )

    # A vital sign: final in a record, while it is measured it may still change. The list of intervals is none of these. text: of a level or a zone its name, whose value is null.
    type VitalValue (
      name: string,
      value: ?float,
      text: ?string,
      unit: string,
      # unknown, low, medium, high
      confidence: string,
      # What it was computed from.
      window_s: float,
      method: string,
      # window_short, optical (from pulse intervals), hf_unreliable, extrapolated, passed_through, corrected, wrist
      flags: []string
    )

    # Why a vital sign that is enabled has no result.
    type VitalMissing (name: string, reason: string)

    # Where beats are missing, from the start of the measurement.
    type VitalsGap (start_s: float, length_s: float)

    # As it came. flags: begins_stretch, dropped, uncertain, ectopic, missed, extra, long_or_short.
    type VitalsInterval (ms: float, flags: []string)

    # What is kept of a measurement. `person`: who was measured; null: nobody is known. `wearer`: whose the wearable was then, as it is known now.
    type VitalsRecord (
      session: int,
      # Of the measurement in its session, from 1.
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
      # Of an error, as in the session; null else.
      code: ?int,
      sentence: ?string,
      artefact_share: float,
      # Of the time; above 1 the intervals cover more than there was, as of a sensor that tells some twice.
      coverage: float,
      gaps: []VitalsGap,
      # How many the record has; the intervals themselves only where they were asked for.
      intervals: int,
      interval_list: ?[]VitalsInterval,
      # What the record has no room for; of intervals the last.
      left_out: int,
      results: []VitalValue,
      not_reported: []VitalMissing
    )

    # The newest measurements, ascending by start. `name`: the wearable or the person they are of. `unreadable`: so many more are damaged or of a later program.
    type VitalsRecordsOf (schema: string, name: string, zone: string, records: []VitalsRecord, unreadable: int)

    # A vital sign in the table of a session. reason: why its kind of sensor does not have it: needs_intervals, intervals_unproven, needs_rate, needs_oximeter,
    # needs_thermometer, needs_cuff, needs_scale, no_public_definition, proprietary, needs_camera; null where it is enabled.
    type VitalSign (name: string, unit: string, enabled: bool, reason: ?string)

    # What measures. electrical, optical, optical_wrist: it reports intervals.
    type VitalsSensor (electrical, optical, optical_wrist, rate_only, oximeter, thermometer, cuff, scale)

    # What results rest on: electrical intervals, optical ones, rates.
    type VitalsBasis (rr, ppi, rate)

    # How a measurement of vital signs ended.
    type VitalsFinish (
      # Its time was over.
      duration,
      # Ended early, by a person or with the one reading of a cuff: it has results.
      stop,
      # It was to end before there were results.
      terminated,
      error
    )

    type VitalsPhase (
      # It is being linked and its stream begun.
      initializing,
      ready,
      starting,
      # It measures.
      processing,
      # Results are computed.
      stopping,
      terminating,
      terminated
    )

    # A measurement of vital signs that was ordered: of whom, by what, for how long, and what can come of it.
    type VitalsSession (
      schema: string,
      id: int,
      device: string,
      # Null where nobody is named, and nobody is known to wear it.
      person: ?string,
      sensor: VitalsSensor,
      # Null: the sensor itself reports results.
      basis: ?VitalsBasis,
      seconds: int,
      signs: []VitalSign
    )

    type VitalsState (state: VitalsPhase, time: string)

    # What is known at one moment while it measures.
    type VitalsMoment (
      elapsed_s: float,
      requested_s: float,
      # Beats a minute; null while there are none, and while values are hidden.
      pulse_rate: ?float,
      # Of the intervals of the last 10 s, 0 to 1; null without intervals.
      artefact_share: ?float,
      # What that share admits: high, medium, low, withheld; null without intervals.
      quality: ?string,
      # The signal is too doubtful to show values.
      hidden: bool,
      # Computed anew every 5 s; empty in between.
      results: []VitalValue
    )

    # A condition that began (`on`) or ended, or an error. code: its number in the session, which is no H code. next: what a person can do about it. reason: the
    # H code of an error.
    type VitalsNotice (code: int, sentence: string, next: string, on: bool, reason: ?string)

    # How a measurement of vital signs ended.
    type VitalsEnd (
      end: VitalsFinish,
      # Of an error, as in VitalsNotice.
      code: ?int,
      # Why there are no results.
      reason: ?Trouble
    )

    type SyncProgress (waiting, running, done, nothing_new, failed, skipped)

    # One kind of data in a sync.
    type SyncPart (
      # sleep, recordings: as a sync names it.
      domain: string,
      series: []string,
      state: SyncProgress,
      # Why it failed, or is skipped.
      reason: ?Trouble,
      # In the range, and such as were stored in this sync.
      items_listed: int,
      items_stored: int,
      bytes: int,
      # Of those listed, such as do not say when they were measured: they come whatever the range is.
      items_undated: int
    )

    # A sync that was ordered: the one that runs, or the last one. It goes on over restarts of the hub.
    type SyncOf (
      schema: string,
      device: string,
      # Of this wearable, from 1.
      number: int,
      ordered: string,
      # Null while it waits or runs.
      ended: ?string,
      since: ?string,
      until: ?string,
      automatic_only: bool,
      # The visit that has to do with it, or had last.
      visit: ?int,
      # How many of its domains are through.
      domains_over: int,
      domains: []SyncPart,
      # Why it ended before all of them were.
      reason: ?Trouble,
      # The item in work: its id, bytes so far, bytes altogether, and percent of these.
      item: ?string,
      item_fetched: ?int,
      item_size: ?int,
      percent: ?int,
      watermarks: []SyncMark
    )

    # One thing that a wearable holds or held, and when each step of its way into the store was reached.
    type CustodyItem (
      id: string,
      # What tells this content from another at the same place.
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

    # profile: whose numbers these are; null if they are none's. source: observed, asked_by_wearable, assumed.
    type LinkEffective (profile: ?string, interval_ms: float, latency: int, timeout_ms: int, source: string)

    type LinkState (
      schema: string,
      device: string,
      linked: bool,
      # Why this profile.
      why: string,
      # An operator's lasting choice; null: by policy.
      override: ?string,
      # The hub alone sets the link to that choice; the wearable's characteristic is not written.
      central: bool,
      requested: LinkRequested,
      effective: ?LinkEffective,
      # What the wearable's characteristic says: its number, and the profile of that number.
      reported: ?int,
      reported_profile: ?string,
      # When it was read; it is read again after each write.
      reported_at: ?string,
      # What happened to the last write of the characteristic; null where there is none.
      characteristic: ?string,
      reason: ?Trouble,
      mtu: ?int,
      # Encrypted at this moment, whoever began that; bytes of the key, null where nobody tells.
      secured: bool,
      key_size: ?int,
      # The hub has keys of it.
      bonded: bool
    )

    # offset_us: how far it was ahead of the hub; of the hub's local time where it shows local time: then utc_offset_min are the minutes east of
    # Greenwich that it said, and zone_offset_min those of the hub's zone. trusted: the hub's own clock was, then. doubt: why there is no drift.
    type DeviceClock (
      device: string, offset_us: ?int, utc_offset_min: ?int, zone_offset_min: ?int, read_at: ?string, set_at: ?string, trusted: bool, drift_ppm: ?float, doubt: ?string
    )

    type Clocks (schema: string, time: string, synchronised: bool, plausible: bool, zone: string, devices: []DeviceClock)

    type Rung (name: string, count: int)

    # One of several adapters of the machine. advertisements: heard since the start.
    type RadioAdapter (
      name: string, address: ?string, bus: string, state: RadioPhase, reason: ?Trouble, links: int, slots: int, slot_source: string, recovering: bool, advertisements: int,
      # public; random: it has no public address, and the hub gave it this one. null: no address.
      address_type: ?string
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
      # The reset ladder: at work now; the rung that is or was last tried, and when; all rungs, and how often each was tried since start.
      recovering: bool,
      rung: ?string,
      last_recovery: ?string,
      ladder: []Rung,
      # Actual parameters of links can be seen; live links can be changed.
      observes_links: bool,
      updates_live_links: bool,
      warnings: []Trouble,
      # Each by itself, where several serve as one radio; else null.
      adapters: ?[]RadioAdapter,
      counters: [string]int
    )

    # What a device gets of the slots. live: it keeps its link. turns: it has one in turn with others. visits: it keeps what it measures and needs a
    # slot for its visits alone. seconds: it is on for seconds, and has a slot at once. unreachable: it is bonded to an adapter that does not serve.
    type SlotRole (live, turns, visits, seconds, unreachable)

    type PlannedDevice (
      device: string,
      role: SlotRole,
      present: bool,
      # Seconds, of one that takes turns: the shortest turn and the longest time without a link within an hour. turn_s null: no turn ended.
      turn_s: ?int,
      gap_s: ?int,
      # It advertises its heart rate, which is shown between its turns too.
      advertises: bool
    )

    # What each enrolled device gets of the slots if all of them are here for an hour: the decisions of the hub, played through. Devices that are
    # paused are not in it.
    type SlotPlan (
      schema: string,
      # Of all adapters that serve.
      slots: int,
      # standard, configured, learned
      slot_source: string,
      # Devices that want a link for as long as they are here.
      wanting: int,
      # Further slots with which none of them would wait, and adapters of 5 slots that have them.
      missing: int,
      missing_adapters: int,
      devices: []PlannedDevice
    )

    type Pairing (
      schema: string,
      device: string,
      address: string,
      # just_works: yes or no. compare: yes if the wearable shows the digits. passkey: the six digits it shows. show: type the digits on it.
      kind: string,
      digits: ?string,
      until: string
    )

    # usage: what may follow it; empty where nothing may.
    type Action (name: string, summary: string, usage: string)

    # A thing and its properties; numbers have their unit in the name of the field.
    type ReportRow (name: string, fields: [string]string)

    # What a wearable tells of itself, read from it at that moment.
    type ReportOf (schema: string, device: string, topic: string, rows: []ReportRow)

    # A feature that a wearable can switch off, and whether that is ordered.
    type OrderSwitch (name: string, summary: string, off: bool)

    # A setting that a wearable keeps by itself, and what is ordered of it; null: nothing. values: what may be ordered; empty for a number, which has lowest,
    # highest and a unit, which may be empty.
    type OrderSetting (name: string, summary: string, values: []string, lowest: ?int, highest: ?int, unit: ?string, ordered: ?string)

    # What can be ordered of a live series: samples a second, slowest first; none: the wearable says only over a link which it has. without_heart_rate: those
    # of them at which the wearable tells no heart rate, whatever else it streams.
    type RateChoice (series: string, rates: []int, without_heart_rate: []int)

    # What was left out of an order for several things, because the wearable does not have it, and why. Ordered alone it is refused.
    type SkippedOrder (what: string, reason: Trouble)

    # When the hub measures vital signs by itself. `text`: as it is ordered. `skipped`, `why`: the last one that was not made since the hub began; null: none.
    type MeasureOrder (text: string, every_s: int, seconds: int, next: ?string, skipped: ?string, why: ?string)

    # What visits that the hub makes by itself bring. phases: all that a wearable of its kind may keep, in the order in which they are fetched. left_out: those
    # that they leave out. ordered: what was chosen for this wearable: all, or names of phases; null: as configured. visit_at: times of day of visits that are
    # made however fresh its data is; own_times: they were chosen for this wearable.
    type CollectionOrder (phases: []string, left_out: []string, ordered: ?[]string, visit_at: []string, own_times: bool)

    # What people want of one wearable. streams: series that it is to send live, beside what it sends anyway. rates: samples a second of series; others follow
    # the link. secret: it has one; nothing says what it is.
    type OrdersOf (
      schema: string,
      device: string,
      streams: []string,
      rates: [string]int,
      rate_choices: []RateChoice,
      secret: bool,
      switches: []OrderSwitch,
      settings: []OrderSetting,
      # null: it is measured only when somebody asks.
      measure: ?MeasureOrder,
      # null: it keeps nothing that visits could bring.
      collection: ?CollectionOrder,
      wearer: ?string,
      # Of the order that this answers; null: nothing.
      skipped: ?[]SkippedOrder
    )

    # Somebody who wears wearables.
    type WearerState (
      schema: string,
      number: int,
      name: string,
      # The house's own identifier of the person, the same at every hub; null: none was entered.
      id: ?string,
      entered: string,
      # Since when nothing new is assigned.
      retired: ?string,
      # 1971-03-05
      born: ?string,
      # female, male
      sex: ?string,
      height_cm: ?int,
      weight_kg: ?int,
      # Beats a minute.
      maximum_heart_rate: ?int,
      resting_heart_rate: ?int,
      # ml/kg/min
      vo2_max: ?int,
      # occasional, regular, frequent, heavy, semi-pro, pro
      training_background: ?string,
      # sitting, standing, moving
      typical_day: ?string,
      sleep_goal_minutes: ?int,
      # Wearables forget all of it when they are on nobody any more.
      take_off: bool,
      # Wearables that are on this wearer now.
      wears: []string
    )

    # Whom a name of this hub is in the house.
    type WearerId (wearer: string, id: string)

    # Until the next one's `from`; no wearer: nobody.
    type Assignment (from: string, wearer: ?string, entered: string)

    # Who a wearable was, is and will be on, in the order of time.
    type AssignmentsOf (schema: string, device: string, assignments: []Assignment)

    # Samples of a stretch of time, before `to`, that belong to another wearer than was said before. No wearer: nobody.
    type Correction (device: string, enrolment: int, from: string, to: string, was: ?string, wearer: ?string)

    # Rows that an export should have and has not: those of a ring with these ordinals, both included; all null: of a chunk of the journal, in which
    # rows of several rings may have been. `cause`: damaged (what the card returned is not what was written), gone (evicted, purged or erased before
    # the reader of this cursor had them).
    type MissingRows (device: ?string, address: ?string, enrolment: ?int, series: ?string, way: ?string, from: ?int, to: ?int, cause: string)

    type CorrectedPart (from: string, to: string, was: ?string, wearer: ?string, samples: int)

    # What putting an assignment right changes in samples that are there, and the export cursors that have had some of them and are told.
    type CorrectionOf (schema: string, device: string, parts: []CorrectedPart, readers: []string, assignments: []Assignment)

    type Setting (key: string, value: string, origin: string)

    # A trouble that is not told. device: of this wearable alone; null: of the hub and of all. until: by the clock as it is now; null: until it is taken back.
    type MuteOf (code: string, sentence: string, device: ?string, since: string, until: ?string)

    # What a full-screen view shows. The first of a stream has everything, each one after it what changed: what is null is as it was, and so are the
    # devices that are not named. A status comes once a minute at least.
    type HubView (
      schema: string,
      status: ?HubState,
      radio: ?RadioState,
      lights: ?LightsState,
      # Those that changed, and the addresses of all in their order; who is not among these is not known any more.
      devices: []DeviceState,
      order: ?[]string,
      # The newest 20 of each: the running visit first.
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

    # Leaves a wearable alone: no link, no visit and no advertised value, unless somebody asks for it. `until`: RFC 3339; null: until it is resumed. One that is
    # paused already ends from now on as this says. Durable when they return.
    #: Standing operate
    method Pause(name: string, until: ?string) -> (device: DeviceState)

    #: Standing operate
    method Resume(name: string) -> (device: DeviceState)

    # Troubles that are not told, neither on a lamp nor as a trouble of the hub or of a wearable.
    #: Standing read
    method Mutes() -> (mutes: []MuteOf)

    # `code`: such as H2109. `name`: of this wearable alone; null: of the hub and of all wearables. `until`: RFC 3339; null: until it is taken back. Durable when
    # they return.
    #: Standing operate
    method Mute(code: string, name: ?string, until: ?string) -> (mutes: []MuteOf)

    #: Standing operate
    method Unmute(code: string, name: ?string) -> (mutes: []MuteOf)

    # Values as they come, of one wearable or of all, until the client hangs up. Call it with `more`. With `every`, 1 to 3600 seconds: once in so
    # many seconds the newest of each series of each wearable that had one, one a reply. A client that does not read is disconnected (H6007).
    #: Live read streams notes; every 1...3600
    method Live(name: ?string, every: ?int) -> (sample: Sample)

    # With `more`: what a full-screen view shows, again whenever that has changed, at most four times a second, until the client hangs up. Times of
    # what is heard all the time, counters, and changes of figures of the store by less than a hundredth are no changes. After five seconds without any
    # a view of nothing says that the hub goes on. A client that reads nothing for 30 s is disconnected (H6007). Without `more`: everything, once.
    #: Hub read written
    method Watch() -> (view: HubView)

    # 1 to 3600 seconds; null: as configured.
    #: Enrolment operate; seconds 1...3600
    method EnrollOpen(seconds: ?int) -> (enrolment: Enrolment)

    #: Enrolment read
    method EnrollList() -> (enrolment: Enrolment)

    # `which`: letter, address or advertised name. The enrolment is durable when this returns. One that is enrolled and whose keys are of no use
    # (H2206, H2207, H2208, H2211) is paired anew at its next visit, and keeps all else. One whose address changes is paired at once, and enrolled
    # under its identity address; H2327, H2251 or H2211 where that fails.
    #: Enrolment operate
    method EnrollAccept(which: string, name: ?string) -> (device: DeviceState)

    #: Enrolment operate
    method EnrollClose() -> ()

    #: Enrolment operate
    method Rename(name: string, new_name: string) -> (device: DeviceState)

    # The wearable is never connected again; its samples stay. One that is bound to this hub is unbound before, which takes up to two minutes; where it
    # cannot be had it is forgotten all the same, with H2245 as `warning`.
    #: Enrolment administer
    method Forget(name: string) -> (warning: ?Trouble)

    # Whether anything that is safe in the store is removed on it. `choice`: yes, no, ask, or auto: as configured. Durable when this returns.
    #: Enrolment operate
    method EraseSet(name: string, choice: string) -> (device: DeviceState)

    # Whether values that it advertises are kept while it has no link. `choice`: on, off, or auto: as configured. Durable when this returns.
    #: Enrolment operate
    method ListenSet(name: string, choice: string) -> (device: DeviceState)

    # How long it may be away before it is missing. `choice`: whole seconds from 300 on, never, or auto: as configured. Durable when this returns.
    #: Enrolment operate
    method AbsenceSet(name: string, choice: string) -> (device: DeviceState)

    # Of one wearable or of all: the running one first, then the newest. `limit`: 1 to 1000, null: 20.
    #: Lane read; limit 1...1000
    method Visits(name: ?string, limit: ?int, why: ?bool) -> (visits: []Visit, queue: []Queued)

    # First in the queue; a visit of it that runs goes on as the one that was asked for.
    #: Lane operate
    method VisitNow(name: string) -> (queued: Queued)

    # How far the visit of a wearable is, at most twice a second and only if it changed, until none runs and none that an operator asked for
    # waits; the last reply is how it ended. Visits up to the number `after` are left out, and such as bring less than everything, for example a sync of
    # one kind of data. Call it with `more`.
    #: Lane read streams; after 0...
    method VisitWatch(name: string, after: ?int) -> (visit: ?Visit, queued: ?Queued)

    # Orders a sync of a wearable, which is visited next for it. `series`: names of series or of kinds of data; null: everything it may keep. Without a
    # range it goes on from what is stored. `automatic_only`: only what the wearable measures by itself. Refused while one of it runs (H2143), and where
    # nothing of what is asked for can be had (H2131).
    #: Lane operate; series #64
    method SyncNow(name: string, series: ?[]string, since: ?string, until: ?string, automatic_only: ?bool) -> (sync: SyncOf)

    # How far the sync of a wearable is, at most twice a second and only if it changed, until it is over; the last reply is what came of it. Null: none
    # was ordered. Call it with `more`.
    #: Lane read streams
    method SyncWatch(name: string) -> (sync: ?SyncOf)

    # Item by item: what the wearable holds or held. `last`: only what the last visit dealt with.
    #: Lane read
    method Custody(name: string, last: ?bool) -> (custody: CustodyOf)

    #: Lane read
    method Link(name: string) -> (link: LinkState)

    # `profile`: foreground, background, idle, or auto: by policy. Lasting. `central`: the hub alone sets the link, the wearable's characteristic is
    # not written.
    #: Lane operate
    method LinkSet(name: string, profile: string, central: ?bool) -> (link: LinkState)

    # Of one wearable or of all.
    #: Hub read
    method Clock(name: ?string) -> (clock: Clocks)

    #: Hub read
    method Radio() -> (radio: RadioState)

    # Who gets a link, and who takes turns, while all enrolled devices are here.
    #: Hub read
    method RadioPlan() -> (plan: SlotPlan)

    # The radio's reset ladder, from its first rung; links are lost for some seconds.
    #: Hub administer
    method RadioRecover() -> ()

    # Pairings that wait for a person.
    #: Enrolment read
    method Pairings() -> (pairings: []Pairing)

    # `answer`: yes, no, or passkey with `passkey`, 0 to 999999.
    #: Enrolment operate; passkey 0...999999
    method PairAnswer(name: string, answer: string, passkey: ?int) -> ()

    # What can be asked of a wearable, and what it tells (topics of `Report`). This and the next two wait up to 180 s for a visit where it has no link.
    #: Order read
    method Actions(name: string) -> (actions: []Action, reports: []string)

    # `arguments`: at most 16 words. `result`: what happened, one sentence.
    #: Order operate; arguments #16
    method Act(name: string, action: string, arguments: ?[]string) -> (result: string)

    # Lets a wearable measure one series now, one at a time; call it with `more`. `interval_s`: between two values, 1 to 255, null: 1. `limit_s`: it ends
    # after so long, 15 to 255, null: 60; with `until_stopped` when somebody stops it, an hour at most. The client that hangs up stops it too. `event`:
    # begun, then value for each value with its `sample`, which is stored as one measured by hand, then end. Refused while it measures already (H2139),
    # and where it does not measure that (H2131, which says what it does).
    #: Live operate streams notes; interval_s 1...255, limit_s 15...255
    method Measure(name: string, series: string, interval_s: ?int, limit_s: ?int, until_stopped: ?bool) -> (
      event: string, sample: ?Sample, measurement: MeasurementOf
    )

    # Ends what `Measure` began, for who reads that. Succeeds where nothing is measured.
    #: Live operate
    method MeasureStop(name: string) -> ()

    # Measures vital signs of what a wearable sends: pulse, variability, breathing and what else its kind of sensor has. Call it with `more`. `seconds`: 20 to 180,
    # null: 60. `person`: whose, by name or number; null: of who wears it now. The wearable is linked and its stream begun where they are not. `event`: opened with
    # `session`, first of all; state with `state`; values with `values`, each second while it measures; warning and error with `notice`; results with `record`, once,
    # which is stored then; end with `end`, the last. What an event does not have is null. The client that hangs up ends it without results: also after an error
    # whose sensor is waited for, in `initializing`, as nothing is measured anew. Refused while the wearable or the person is measured (H2139), and where nothing
    # comes of which vital signs could be measured (H2131, which says what can be done instead). `stays`: the session goes back to ready behind a measurement, and
    # further ones are begun with `MeasureVitalsStart`; it ends with `MeasureVitalsTerminate`, or when the client hangs up. `end` is how its last measurement ended.
    #: Live operate streams notes; seconds 20...180
    method MeasureVitals(name: string, seconds: ?int, person: ?string, stays: ?bool) -> (
      event: string, session: ?VitalsSession, state: ?VitalsState, values: ?VitalsMoment, notice: ?VitalsNotice, record: ?VitalsRecord, end: ?VitalsEnd
    )

    # Begins another measurement in a session that stays and is ready; what is measured is told where `MeasureVitals` was called. `seconds`: 20 to 180, null: 60.
    # H2139 in any other state.
    #: Live operate; seconds 20...180
    method MeasureVitalsStart(name: string, seconds: ?int) -> ()

    # Ends what `MeasureVitals` measures early, and its results stand; H2139 where nothing is measured.
    #: Live operate
    method MeasureVitalsStop(name: string) -> ()

    # Ends a session in whatever state it is: a measurement that runs has no results. Succeeds where there is none.
    #: Live operate
    method MeasureVitalsTerminate(name: string) -> ()

    #: Order read notes
    method Report(name: string, topic: string) -> (report: ReportOf)

    #: Order read
    method Orders(name: string) -> (orders: OrdersOf)

    # Null: as it is. `rates`: all that are wanted, out of `rate_choices`. `settings`: those that change, by name; the value `none` takes an order back.
    # Of several series in `streams` or `rates` those that the wearable does not have are `skipped`; where it has none of them, the order is refused (H2131).
    # `measure`: every=4h seconds=60 between=07:00-22:00, when the hub measures vital signs by itself; none.
    # `phases`: what visits bring that the hub makes by itself: all, names of phases or series, or none (as configured). A phase that it does not have is refused
    # (H2131). `visit_at`: times of day, such as 07:00, at which it is visited however fresh its data is; never, or none (as configured).
    # Durable when this returns, and asked of a wearable at once where it is linked.
    #: Order operate; streams #255, rates 1...100000 #255, switched_off #16, settings #16, phases #16, visit_at #16
    method OrdersSet(name: string, streams: ?[]string, rates: ?[string]int, switched_off: ?[]string, settings: ?[string]string, measure: ?string, phases: ?[]string, visit_at: ?[]string) -> (orders: OrdersOf)

    # Of one wearable, or of all that are enrolled, by name.
    #: Alert read notes
    method Alerts(name: ?string) -> (alerts: []AlertsOf)

    # Null: as it is. `limits`: those that change, by kind: a number as text, such as 120 or 38.5, or none. `exercise`: auto, on, off. Durable when this returns.
    #: Alert operate; limits #7
    method AlertsSet(name: string, limits: ?[string]string, exercise: ?string) -> (alerts: AlertsOf)

    # Somebody has seen to all alerts of a wearable. Durable when this returns.
    #: Alert operate
    method AlertsAcknowledge(name: string) -> (alerts: AlertsOf)

    # Begins, or ends now, a training of a strap that records none itself (else H2131). It is kept as a `training`, durable when the end is answered. The end
    # may also be of one that was found. H2139: one that was ordered is under way, or none.
    #: Alert operate
    method TrainingBegin(name: string) -> (effort: Effort)

    #: Alert operate notes
    method TrainingEnd(name: string) -> (effort: Effort)

    # As the hub knows it; `now`: read from the wearable first, as `Report` does.
    #: Order read
    method Monitoring(name: string, now: ?bool) -> (monitoring: MonitoringOf)

    # Null: as it is ordered. begin and end together. `limits`: those that change, by kind, as of AlertsSet. `forget`: words of `can` of which nothing is ordered
    # any more; what this hub changed is as it was before. What cannot be ordered is refused (H2131). Durable when this returns, and asked of a wearable at once
    # where it is linked.
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

    # The key of what it keeps encrypted: 32 hexadecimal digits, or one that is made here; null and false: none from now on.
    #: Order administer
    method SecretSet(name: string, secret: ?string, generate: ?bool) -> (orders: OrdersOf)

    # Everybody who was entered, the retired ones too. Wearers are named by name or number.
    #: People read notes
    method Wearers() -> (wearers: []WearerState)

    #: People operate
    method WearerAdd(name: string) -> (wearer: WearerState)

    #: People operate
    method WearerRename(wearer: string, new_name: string) -> (wearer: WearerState)

    # The house's own identifier of the person, 1 to 64 bytes of plain text: with the same one a person is one at all hubs. Null: none.
    #: People operate
    method WearerSet(wearer: string, id: ?string) -> (wearer: WearerState)

    # Names that have an identifier of the house, each once: of equal names the one of somebody who is not retired.
    #: People read
    method WearerIds() -> (ids: []WearerId)

    # Nothing can be assigned to the wearer any more; what was assigned stays.
    #: People operate
    method WearerRetire(wearer: string) -> (wearer: WearerState)

    # What erasing a person would delete.
    #: People administer
    method WearerErasePlan(wearer: string) -> (erasure: Erasure)

    # Deletes a person with all that was measured of them, if that is `losing` samples. Ends when all is deleted.
    #: People administer; losing 0...
    method WearerErase(wearer: string, losing: int) -> (erasure: Erasure)

    # Who was given what was measured, the newest first. `of`: a wearer or a wearable. `limit`: 1 to 1000, null: 100.
    #: People administer; limit 1...1000
    method Accesses(of: ?string, since: ?string, until: ?string, limit: ?int) -> (accesses: []Access)

    # Null: as it is. `forget`: parameters of this method by name, as if nobody had ever entered them; a wearable that is on this wearer keeps what it
    # has. `take_off`: a wearable that is on nobody any more forgets the body. One that is on another wearer is told what is known of that one; the rest
    # is as it was before the hub told it anything, or the vendor's default.
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

    # `wearer`: null is nobody. `from`: null is now; a time may lie in the past or in the future. It holds until the next assignment.
    #: People operate
    method Assign(name: string, wearer: ?string, from: ?string) -> (assignments: AssignmentsOf)

    # Puts the assignment right that begins at `begin`, to the second: its begin (`from`), its wearer, or with `nobody` that there is none. What is null
    # stays. `dry`: only says what it would change.
    #: People operate
    method AssignmentCorrect(
      name: string, begin: string, from: ?string, wearer: ?string, nobody: ?bool, dry: ?bool
    ) -> (correction: CorrectionOf)

    # As if it had never been entered: what it held for belongs to the assignment before it.
    #: People operate
    method AssignmentDelete(name: string, begin: string, dry: ?bool) -> (correction: CorrectionOf)

    #: Store read
    method Store() -> (store: StoreState)

    # The newest samples of a series of the wearable's present enrolment. `count`: 1 to 1000, null: 60.
    #: Store read notes; count 1...1000
    method StorePeek(name: string, series: string, count: ?int) -> (peek: Peek)

    # Reads and checks everything: seconds to minutes. With `more`, replies before the last say at most once a second how far it has come.
    #: Store read written
    method StoreVerify() -> (verify: ?Check, percent: int)

    # What a purge would delete: whole chunks whose samples are all before `before`. Null: whatever wearable, series, time.
    #: Store read
    method StorePurgePlan(name: ?string, series: ?string, before: ?string) -> (purge: Purge)

    # Deletes them. `losing` is the number of samples as the plan said it; H4103 if it is another one by now.
    #: Store administer; losing 0...
    method StorePurge(name: ?string, series: ?string, before: ?string, losing: int) -> (purge: Purge)

    # Measured values of one series, a page at a time. `name`: of a wearable, else of a wearer, whatever that person wore. `kind`: normal, maximum, minimum, resting;
    # `manual`: true is by hand, false automatic; null: all. `since` is included, `until` is not. `after`: as `next` of the page before. `limit`: 1 to 1000, null: 1000.
    #: Store read notes; limit 1...1000
    method Items(
      name: string, series: string, since: ?string, until: ?string, kind: ?string, manual: ?bool, after: ?string, limit: ?int
    ) -> (items: ItemsOf)

    # The newest measurements of vital signs. `name`: of a wearable, else of a wearer: then those of that person, by whatever wearable. `limit`: 1 to 200, null: 20;
    # with `intervals` to 50.
    #: Store read notes; limit 1...200
    method Measurements(name: string, limit: ?int, intervals: ?bool) -> (measurements: VitalsRecordsOf)

    # One day with its lists. `name`: of a wearable, else of a wearer. `date`: any time of that day; null: today.
    #: Store read notes
    method Daily(name: string, date: ?string, series: ?string) -> (daily: DailyOf)

    # What the local days of a wearable were like: each day of which the range has a part, from its 00:00 to its end. `name` of a wearer, by name or
    # number, who has no wearable's name: of all that this person wore, while it was on them; `others` are the second and further wearables.
    #: Store read notes
    method Days(name: string, series: ?string, since: ?string, until: ?string) -> (days: DaysOf, others: ?[]DaysOf)

    # What of a span of time a wearable's series have values for, and why the rest is empty where the hub knows. Without a series all that have
    # anything in the span, or had within seven days before. `until`: null is now; `since`: null is 24 hours before. At most 400 days.
    #: Store read
    method Coverage(name: string, series: ?string, since: ?string, until: ?string) -> (coverage: CoverageOf)

    # What happened, the newest first; with a name or an address, to that wearable. `limit`: 1 to 1000, null: 50. `code`: one (H2102) or a block
    # (H21xx, H21). `since` is included, `until` is not; all that the store keeps is looked through for as many as `limit`.
    #: Store read; limit 1...1000
    method Events(limit: ?int, name: ?string, code: ?string, since: ?string, until: ?string) -> (events: []Event)

    # Durable samples: ring by ring, each in the order in which they came, then what is not in a ring yet. `since` is included, `until` is not. With
    # a cursor, without times: what its reader has not confirmed. Call it with `more`: each reply is one page, and the next is made when this one was read.
    # `devices` and `all_series` name more of each; `person`, a name or a number: what somebody wore, while it was on them; without a cursor.
    # `ordinals`: samples say their places (`enrolment`, `way`, `ordinal`; `parts` where a sample takes several, this one and those directly before it),
    # and the reply the identity of the `store` (null without). `brief`, with `ordinals` alone: a sample that is like another before it in its reply
    # has `like`, that one's place there from 0, and besides only `after`, microseconds from that one's `time`, `value`, `ordinal` and, where it has
    # them, `end` and `parts`. `gaps`: what is missing on this page; null: nothing is.
    #: Export read streams notes
    method Export(
      device: ?string, series: ?string, since: ?string, until: ?string, cursor: ?string, ordinals: ?bool, brief: ?bool,
      devices: ?[]string, all_series: ?[]string, person: ?string
    ) -> (
      samples: []Sample, corrupt_chunks: int, store: ?string, corrections: ?[]Correction, corrections_missed: ?int, retimed: ?[]Sample,
      gaps: ?[]MissingRows
    )

    # One page of what the reader of this cursor has not confirmed; call it again for the next. The first call of a connection begins behind what
    # was confirmed; `confirm` says that everything this connection was given before is safe with the reader, and is durable when this returns. After
    # the page that is the last, a call with `confirm` confirms it and gives nothing; a call without begins again. `by`: who asks, for people. Another
    # cursor, device or series begins anew. `corrections`, before the samples of the first page: rows that this reader confirmed before belong to
    # another wearer since; confirmed with the page. `corrections_missed`: there were so many more before them, which are not kept any more. `retimed`,
    # with any page: rows that this reader confirmed with the time of a clock that was off, known by now: each takes the place of the one of its ring
    # with its ordinal, or of its wearable and series with the time `was`; confirmed once all of them were given. `limit`: rows of
    # a page, 1 to 512, null: 512. `ordinals`, `brief`, `gaps`: as of Export.
    #: Export read written notes; limit 1...512
    method ExportNext(
      cursor: string, device: ?string, series: ?string, confirm: ?bool, by: ?string, limit: ?int, ordinals: ?bool, brief: ?bool,
      devices: ?[]string, all_series: ?[]string
    ) -> (
      samples: []Sample, corrupt_chunks: int, last: bool, store: ?string, corrections: ?[]Correction, corrections_missed: ?int, retimed: ?[]Sample,
      gaps: ?[]MissingRows
    )

    # What each lamp says now.
    #: Hub read
    method Lights() -> (lights: LightsState)

    # The locate pattern, which ends by itself after 30 s; `on: false` ends it now.
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

    # Hexadecimal; `kind` as in the store.
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

    # Who has a bond with the hub, without the keys.
    #: Bond read
    method BondList() -> (bonds: []BondState)

    # The keys of all bonds, to be sealed: only for root and for the daemon's own user.
    #: Bond administer
    method BondKeys() -> (hub: string, bonds: []KeyedBond)

    # Takes over bonds of another hub, at most 64 in a call; wearables that are not enrolled are. Durable when it returns. Only for root and for the
    # daemon's own user.
    #: Bond administer; bonds #64
    method BondImport(bonds: []KeyedBond) -> (imported: int)

    # Forgets the keys of one wearable, which stays enrolled. `name`: its name or address.
    #: Bond administer
    method BondRemove(name: string) -> ()

    # A backup of the store, page after page of one connection; `begin` starts it. `page`: base64 of rows (Sources/RingStore/Backup), keys in clear. Only for
    # root and for the daemon's own user. Refused (H4205) where it took too long, or the hub needed the room that it keeps.
    #: Bond administer
    method BackupNext(begin: ?bool, samples: ?bool) -> (page: string, last: bool)

    # What became of a backup. `made_at`: when one was made, microseconds since 1970. `failure`: why none could be.
    #: Bond administer; made_at 0...
    method BackupTell(made_at: ?int, failure: ?string) -> ()

    # The hub refused. The members are those of Trouble.
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
