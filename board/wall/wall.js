// The wall: a tile for each worn wearable, to be read from ten metres. Messages of hubs change tiles; tiles are drawn once a second and when
// a value comes.

import { Effort } from './effort.js'
import { Hubs } from './hubs.js'
import { DEFAULTS, listen, settings } from './connection.js'
import { span } from './words.js'

const AGAIN = 1000
/** Times without a value, ms: after the first a pulse is out of date, after the second its tile is removed. */
const SILENT = 15_000
const GONE = 30 * 60_000
/** Time for which occasional measurements are shown, ms. */
const MEASURED = 3_600_000
/** Battery level that counts as low, percent. */
const LOW_BATTERY = 20

const wanted = await settings() ?? DEFAULTS
const isWard = wanted.kind === 'ward'
document.body.classList.toggle('ward', isWard)
document.title = wanted.title
document.querySelector('h1').textContent = wanted.title

const board = document.querySelector('main')
const tiles = new Map()
let isDue = 0
const publish = listen(Hubs.topics(wanted.group, true), (topic, bytes) => {
  // However many messages come between two pictures, they are drawn once.
  if (!hubs.take(topic, bytes, Date.now()) || isDue) return
  if (document.hidden) draw()
  else isDue = requestAnimationFrame(draw)
}, say)
const hubs = new Hubs(wanted.group, publish)
const isOne = () => hubs.all.size < 2

function say (sentence) {
  document.querySelector('#say').textContent = sentence
}

/** Settings of a wearable in wall.json, by `HUB/NAME` or by its name alone. */
const own = (hub, name) => wanted.wearables[`${hub}/${name}`] ?? wanted.wearables[name] ?? {}

function tile (hub, name) {
  const key = `${hub}/${name}`
  let one = tiles.get(key)
  if (one) return one
  const about = own(hub, name)
  const element = document.querySelector('template').content.firstElementChild.cloneNode(true)
  const parts = Object.fromEntries(['name', 'rate', 'more', 'why', 'bar'].map(part => [part, element.querySelector(`.${part}`)]))
  let kept = null
  try { kept = JSON.parse(sessionStorage.getItem(key)) } catch { /* of another version */ }
  one = { key, about, element, parts, effort: new Effort(kept), shown: {} }
  tiles.set(key, one)
  board.append(element)
  return one
}

/** Changes of the document cost more than comparisons. */
function set (one, part, text) {
  if (one.shown[part] === text) return
  one.shown[part] = text
  one.parts[part].textContent = text
}

function drop (one) {
  one.element.remove()
  tiles.delete(one.key)
  sessionStorage.removeItem(one.key)
}

/** The metric of a current number, or null. */
const fresh = (device, series, now, limit = SILENT) => {
  const metric = device.metrics.get(series)
  return metric && !metric.isOld && typeof metric.value === 'number' && now - metric.at < limit ? metric : null
}

function fill (one, hub, device, now) {
  const rate = hub.isOnline && device.isHere ? fresh(device, 'heart_rate', now) : null
  const maximum = one.about.max ?? wanted.maximum
  const here = rate ? one.effort.add(rate.value, maximum, rate.time) : null
  // Points of a name are '~' in topics.
  const name = device.name.replaceAll('~', '.')
  set(one, 'name', one.about.alias ?? (isOne() ? name : `${name} · ${hub.name}`))
  set(one, 'rate', rate ? String(Math.round(rate.value)) : '–')
  const battery = device.metrics.get('Battery')?.value
  const warnings = []
  if (!hub.isOnline) warnings.push('hub not heard')
  else if (!device.isHere) warnings.push(`not heard ${span(now - (device.left || device.heard))}`)
  else if (!rate) warnings.push(device.metrics.has('heart_rate') ? 'no pulse: worn?' : '')
  if (typeof battery === 'number' && battery <= LOW_BATTERY) warnings.push(`battery ${Math.round(battery)} %`)
  set(one, 'why', warnings.filter(Boolean).join(', '))
  const inZone = here === null ? '' : `${minutes(one.effort.minutes(here))} in zone ${here} · `
  set(one, 'more', isWard ? vitals(device, now) : `${inZone}effort ${Math.round(one.effort.points)}`)
  const look = `tile ${rate && !isWard ? `zone${here}` : ''} ${rate ? '' : 'silent'} ${warnings.length ? 'warns' : ''}`
  if (one.shown.look !== look) one.element.className = one.shown.look = look
  if (!isWard) {
    const width = `${Math.min(100, rate ? rate.value / maximum * 100 : 0).toFixed(0)}%`
    if (one.shown.width !== width) one.parts.bar.style.width = one.shown.width = width
  }
}

/** Values that a ward shows beside the pulse. */
function vitals (device, now) {
  const words = [['spo2', 'SpO₂', '%', 0], ['body_temperature', '', '°C', 1], ['respiration_rate', 'resp.', '/min', 0]]
  return words.flatMap(([series, label, unit, digits]) => {
    const metric = fresh(device, series, now, MEASURED)
    return metric ? [`${label} ${metric.value.toFixed(digits)} ${unit}`.trim()] : []
  }).join(' · ')
}

const minutes = count => `${Math.floor(count)}:${String(Math.floor(count * 60 % 60)).padStart(2, '0')}`

const orders = {
  name: (a, b) => a.shown.name.localeCompare(b.shown.name, undefined, { numeric: true }),
  place: (a, b) => (a.about.place ?? Infinity) - (b.about.place ?? Infinity) || orders.name(a, b),
  effort: (a, b) => b.effort.points - a.effort.points || orders.name(a, b)
}

function draw () {
  isDue = 0
  const now = Date.now()
  for (const hub of hubs.all.values()) {
    if (wanted.hubs && !wanted.hubs.includes(hub.name)) continue
    for (const device of hub.devices.values()) {
      if (own(hub.name, device.name).show === false) continue
      const isGone = now - Math.max(device.heard, device.left) > GONE
      const known = tiles.get(`${hub.name}/${device.name}`)
      if (isGone) { if (known) drop(known) } else if (known || device.isHere) fill(tile(hub.name, device.name), hub, device, now)
    }
  }
}

function arrange () {
  const order = orders[wanted.sort] ?? orders.name
  const sorted = [...tiles.values()].sort(order)
  sorted.forEach((one, place) => {
    if (board.children[place] !== one.element) board.insertBefore(one.element, board.children[place] ?? null)
  })
  // As many columns as make tiles largest: their count over the shape of the screen.
  const count = Math.max(1, sorted.length)
  const columns = Math.max(1, Math.ceil(Math.sqrt(count * innerWidth / innerHeight / 1.6)))
  board.style.setProperty('--columns', innerWidth < 700 ? 2 : columns)
  board.style.setProperty('--rows', Math.ceil(count / columns))
}

function keep () {
  for (const one of tiles.values()) sessionStorage.setItem(one.key, JSON.stringify(one.effort.kept))
}

/** Reads the settings again: a wearable may be hidden now, a hub may have joined. */
async function follow () {
  const told = await settings()
  if (told && JSON.stringify(told) !== JSON.stringify(wanted)) location.reload()
}

setInterval(() => { draw(); arrange() }, AGAIN)
setInterval(follow, 60_000)
setInterval(keep, 10_000)
