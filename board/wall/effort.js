// Zone of a heart rate, and the effort so far, to be read from ten metres.

/** Lower bounds of the zones 1 to 5, in shares of the highest heart rate (as the straps' own applications draw them). Below is zone 0. */
const BOUNDS = [0.5, 0.6, 0.7, 0.8, 0.9]
/** Longest time between two values that is counted, ms: a longer gap is unknown. */
const LONGEST = 10_000
/** Time without values after which a wearable begins another training, ms: another person may wear it. */
const ANEW = 10 * 60_000

export function zone (rate, maximum) {
  return BOUNDS.filter(bound => rate >= bound * maximum).length
}

/** Minutes in each zone, and points: a minute in zone 3 has three. Of constant size, however long a page stays open. */
export class Effort {
  /** `kept`: the value of `kept` before the page was loaded again. */
  constructor (kept) {
    const isOne = kept?.seconds?.length === 6 && kept.seconds.every(Number.isFinite)
    this.seconds = isOne ? kept.seconds : [0, 0, 0, 0, 0, 0]
    this.last = isOne ? kept.last : null
  }

  get kept () { return { seconds: this.seconds, last: this.last } }

  /** `time` in ms: when it was measured. A value that comes twice or late is not counted. */
  add (rate, maximum, time) {
    const now = zone(rate, maximum)
    if (this.last && time - this.last.time > ANEW) this.seconds.fill(0)
    if (this.last && time > this.last.time) this.seconds[this.last.zone] += Math.min(LONGEST, time - this.last.time) / 1000
    if (!this.last || time > this.last.time) this.last = { zone: now, time }
    return now
  }

  minutes (zone) { return this.seconds[zone] / 60 }
  get points () { return this.seconds.reduce((sum, seconds, place) => sum + seconds * place, 0) / 60 }
}
