// State of hubs by the messages of a broker: the present hubs, and the newest value of each metric of their wearables. Two pages use it;
// drawing is theirs.

import { payload, rebirthRequest } from './sparkplug.js'

/** A hub obeys a request for births each five seconds; a page asks it less often. */
const REBIRTH_PAUSE = 10_000
/** Most hubs and wearables that are kept: a client that may publish could invent any number. */
const HUB_LIMIT = 2_000
const DEVICE_LIMIT = 512

export class Hubs {
  /** `publish`: a function that requests births; a page without wearables has no such function. */
  constructor (group, publish) {
    this.group = group
    this.publish = publish
    this.all = new Map()
  }

  /** What a page that shows values subscribes to, and one that shows hubs alone: what hubs say of themselves names wearables that are missing. */
  static topics (group, withWearables) {
    const of = kind => `spBv1.0/${group}/${kind}/${kind[0] === 'D' ? '+/+' : '+'}`
    return withWearables ? ['NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'].map(of) : [`hearth/1/${group}/+/status`, ...['NBIRTH', 'NDATA', 'NDEATH'].map(of)]
  }

  /** Takes a message. `now`: ms since 1970 by this page's clock; `isKept`: the broker had it from before. True: something is other than before. */
  take (topic, bytes, now, isKept = false) {
    const parts = topic.split('/')
    try {
      if (parts[0] === 'hearth' && parts[4] === 'status') return this.#status(parts[3], bytes, now, isKept)
      if (parts[0] !== 'spBv1.0' || parts[1] !== this.group) return false
      return this.#sparkplug(parts[2], parts[3], parts[4], payload(bytes), now)
    } catch (error) {
      console.warn(topic, error.message)
      return false
    }
  }

  #hub (name) {
    let hub = this.all.get(name)
    if (!hub && this.all.size < HUB_LIMIT) {
      hub = { name, isOnline: null, since: 0, heard: 0, status: null, names: new Map(), devices: new Map(), asked: 0 }
      this.all.set(name, hub)
    }
    return hub
  }

  /** A hub that should be there, whether it is heard or not. */
  expect (name) { this.#hub(name) }

  /** Begin of a state; unknown if the state is older than this page. */
  #turn (hub, isOnline, now) {
    if (hub.isOnline !== isOnline) [hub.isOnline, hub.since] = [isOnline, hub.isOnline === null ? 0 : now]
  }

  #status (name, bytes, now, isKept) {
    const hub = this.#hub(name)
    // An empty retained message is one that was taken back.
    if (!hub || bytes.length === 0) return false
    const status = JSON.parse(new TextDecoder().decode(bytes))
    if (status === null || typeof status !== 'object') return false
    hub.status = status.state === 'offline' ? { ...hub.status, state: 'offline' } : status
    // A retained message may be old: its own time says when the hub was heard. For other messages clocks may differ.
    hub.heard = Math.max(hub.heard, isKept ? Math.min(now, Date.parse(status.time) || 0) : now)
    this.#turn(hub, status.state === 'online', now)
    return true
  }

  #sparkplug (kind, name, device, said, now) {
    const hub = this.#hub(name)
    if (!hub) return false
    switch (kind) {
      case 'NDEATH':
        this.#turn(hub, false, now)
        hub.names.clear()
        for (const one of hub.devices.values()) one.isHere = false
        return true
      case 'DDEATH': {
        const one = hub.devices.get(device)
        if (one) [one.isHere, one.left] = [false, now]
        return true
      }
    }
    hub.heard = now
    this.#turn(hub, true, now)
    const one = device === undefined ? null : this.#device(hub, device)
    if (one === undefined) return false
    if (kind === 'DBIRTH') one.isHere = true
    for (const metric of said.metrics) {
      if (metric.name && metric.alias) hub.names.set(metric.alias, metric.name)
      const known = metric.name || hub.names.get(metric.alias)
      if (!known) {
        // Its birth was before this page was opened.
        this.#ask(hub, now)
        continue
      }
      // The age at sending is a difference of the hub's own clock. The time of measuring by this page's clock follows from that.
      const age = said.time && metric.time ? Math.max(0, said.time - metric.time) : 0
      if (one) one.metrics.set(known, { value: metric.value, time: metric.time, at: now - age, isOld: metric.isOld })
    }
    if (one) [one.heard, one.isHere] = [now, true]
    return true
  }

  #device (hub, name) {
    let one = hub.devices.get(name)
    if (!one && hub.devices.size < DEVICE_LIMIT) {
      one = { name, isHere: true, heard: 0, left: 0, metrics: new Map() }
      hub.devices.set(name, one)
    }
    return one
  }

  #ask (hub, now) {
    if (!this.publish || now - hub.asked < REBIRTH_PAUSE) return
    hub.asked = now
    this.publish(`spBv1.0/${this.group}/NCMD/${hub.name}`, rebirthRequest())
  }
}
