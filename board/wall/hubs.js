// What a broker says of hubs, in the state in which it is now: which are there, and the newest value of each metric of their wearables. Two pages
// look at it; it draws nothing.

import { payload, rebirthRequest } from './sparkplug.js'

/** A hub obeys a request for births each five seconds; a page asks it less often. */
const REBIRTH_PAUSE = 10_000
/** More hubs and wearables than this are not kept: whoever may publish could invent any number. */
const HUB_LIMIT = 2_000
const DEVICE_LIMIT = 512

export class Hubs {
  constructor (group, publish) {
    this.group = group
    this.publish = publish
    this.all = new Map()
  }

  /** What a page that shows values subscribes to, and one that shows hubs alone. */
  static topics (group, withWearables) {
    const kinds = withWearables ? ['NBIRTH', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'] : ['NBIRTH', 'NDATA', 'NDEATH']
    return [`hearth/1/${group}/+/status`, ...kinds.map(kind => `spBv1.0/${group}/${kind}/${kind[0] === 'D' ? '+/+' : '+'}`)]
  }

  /** Takes a message. `now`: ms since 1970. True: something is other than before. */
  take (topic, bytes, now) {
    const parts = topic.split('/')
    try {
      if (parts[0] === 'hearth' && parts[4] === 'status') return this.#status(parts[3], bytes, now)
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
      hub = { name, isOnline: null, since: 0, heard: 0, status: null, names: new Map(), devices: new Map(), asked: 0, hasBirth: false }
      this.all.set(name, hub)
    }
    return hub
  }

  /** A hub that should be there, whether it is heard or not. */
  expect (name) { this.#hub(name) }

  #turn (hub, isOnline, now) {
    if (hub.isOnline !== isOnline) [hub.isOnline, hub.since] = [isOnline, now]
  }

  #status (name, bytes, now) {
    const hub = this.#hub(name)
    // An empty retained message is one that was taken back.
    if (!hub || bytes.length === 0) return false
    const status = JSON.parse(new TextDecoder().decode(bytes))
    if (status === null || typeof status !== 'object') return false
    hub.status = status.state === 'offline' ? { ...hub.status, state: 'offline' } : status
    // A retained document may be old: its own time says when the hub was heard.
    hub.heard = Math.max(hub.heard, Math.min(now, Date.parse(status.time) || 0))
    this.#turn(hub, status.state === 'online', now)
    if (status.state === 'online' && !hub.hasBirth) this.#ask(hub, now)
    return true
  }

  #sparkplug (kind, name, device, said, now) {
    const hub = this.#hub(name)
    if (!hub) return false
    switch (kind) {
      case 'NDEATH':
        hub.hasBirth = false
        this.#turn(hub, false, now)
        for (const one of hub.devices.values()) one.isHere = false
        return true
      case 'NBIRTH':
        hub.hasBirth = true
        hub.names.clear()
        for (const one of hub.devices.values()) one.isHere = false
        break
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
        // It was born before this page was opened.
        this.#ask(hub, now)
        continue
      }
      if (one) one.metrics.set(known, { value: metric.value, time: metric.time, isOld: metric.isOld })
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
    if (now - hub.asked < REBIRTH_PAUSE) return
    hub.asked = now
    this.publish(`spBv1.0/${this.group}/NCMD/${hub.name}`, rebirthRequest())
  }
}
