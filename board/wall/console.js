// The console of a chain: a line for each hub, first those that need a person. It receives the status of hubs and no measured values.

import { Hubs } from './hubs.js'
import { DEFAULTS, listen, settings } from './connection.js'
import { span } from './words.js'

/** Time without a status after which a hub is silent: it sends one each minute. A dead hub is noticed sooner, by its will. ms */
const LATE = 150_000

const wanted = await settings() ?? DEFAULTS
document.title = `${wanted.title}: hubs`
document.querySelector('h1').textContent = `${wanted.title}: hubs`
const rows = new Map()
const hubs = new Hubs(wanted.group)
listen(Hubs.topics(wanted.group, false), (topic, bytes, isKept) => {
  if (hubs.take(topic, bytes, Date.now(), isKept)) draw()
}, sentence => { document.querySelector('#say').textContent = sentence })

/** States of a hub, worst first, and their texts. */
function standing (hub, now) {
  const status = hub.status
  if (hub.isOnline === null && !hub.heard) return [0, 'no word of it']
  if (hub.isOnline === false) return status?.state === 'offline' ? [1, 'stopped'] : [0, 'dead']
  if (now - hub.heard > LATE) return [0, 'silent']
  if (status?.troubles?.length) return [2, 'trouble']
  if (status?.missing?.length) return [3, 'wearables missing']
  return [4, 'well']
}

function cells (hub, now) {
  const status = hub.status ?? {}
  const [, word] = standing(hub, now)
  const backlog = status.backlog
  const lost = status.losses ? `${status.losses.rows} rows lost (${status.losses.code})` : ''
  return [
    hub.name, word, hub.since ? span(now - hub.since) : '', hub.heard ? `${span(now - hub.heard)} ago` : '',
    [...(status.troubles ?? []), lost].filter(Boolean).join(' '),
    backlog ? `${backlog.rows}` + (backlog.hours ? ` (${backlog.hours} h)` : '') : '',
    status.wearables === undefined ? '' : `${status.present} of ${status.wearables}`, (status.missing ?? []).join(' '), status.version ?? ''
  ]
}

function draw () {
  const now = Date.now()
  for (const name of wanted.hubs ?? []) if (!hubs.all.has(name)) hubs.expect(name)
  const body = document.querySelector('tbody')
  const sorted = [...hubs.all.values()].sort((a, b) => standing(a, now)[0] - standing(b, now)[0] || a.name.localeCompare(b.name, undefined, { numeric: true }))
  sorted.forEach((hub, place) => {
    let row = rows.get(hub.name)
    if (!row) {
      row = document.createElement('tr')
      for (const head of document.querySelectorAll('th')) row.append(Object.assign(document.createElement('td'), { className: head.className }))
      rows.set(hub.name, row)
    }
    cells(hub, now).forEach((text, column) => { if (row.children[column].textContent !== text) row.children[column].textContent = text })
    row.className = `standing${standing(hub, now)[0]}`
    if (body.children[place] !== row) body.insertBefore(row, body.children[place] ?? null)
  })
  const bad = sorted.filter(hub => standing(hub, now)[0] < 4).length
  document.querySelector('#sum').textContent = `${sorted.length} ${sorted.length === 1 ? 'hub' : 'hubs'}, ${bad ? `${bad} ${bad === 1 ? 'needs' : 'need'} attention` : 'none needs attention'}`
}

setInterval(draw, 1000)
