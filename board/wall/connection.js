// The connection of a page to the broker that serves it: over the same port, by web socket, again and again.

import { connect } from 'mqtt'

/** Who looks: user and password from behind the '#' of the address, which no server sees; kept for this tab. */
export function credentials () {
  const [user, word] = decodeURIComponent(location.hash.slice(1)).split(':')
  if (user && word) {
    sessionStorage.setItem('hearth', JSON.stringify([user, word]))
    history.replaceState(null, '', location.pathname + location.search)
    return [user, word]
  }
  try {
    return JSON.parse(sessionStorage.getItem('hearth')) ?? []
  } catch { return [] }
}

/** What is shown, from wall.json beside the page; what is not there has its default. */
export async function settings () {
  const defaults = { title: 'Hearth', kind: 'gym', group: 'hearth', hubs: null, sort: 'name', maximum: 190, wearables: {} }
  try {
    const answer = await fetch('wall.json', { cache: 'no-store' })
    return answer.ok ? { ...defaults, ...await answer.json() } : defaults
  } catch (error) {
    console.warn('wall.json', error.message)
    return defaults
  }
}

/**
 * Subscribes to `topics`, gives each message to `heard(topic, bytes)`, and says how it is to `changed(sentence)`: an empty one is "connected".
 * Returns what publishes.
 */
export function listen (topics, heard, changed) {
  const [username, password] = credentials()
  if (!username) changed('open this page by the address that hearth-hall printed: it ends with #USER:PASSWORD')
  const isSecure = location.protocol === 'https:'
  const client = connect({
    protocol: isSecure ? 'wss' : 'ws', hostname: location.hostname, port: Number(location.port) || (isSecure ? 443 : 80), path: '/mqtt',
    username, password, clientId: 'wall-' + crypto.getRandomValues(new Uint32Array(2)).join('-'), clean: true, protocolVersion: 4,
    keepalive: 20, reconnectPeriod: 2000, connectTimeout: 10_000, resubscribe: false, queueQoSZero: false
  })
  client.on('connect', () => {
    changed('')
    client.subscribe(topics, { qos: 0 }, (error, granted) => {
      const refused = error ? topics : granted.filter(one => one.qos > 2).map(one => one.topic)
      if (refused.length) changed(`the broker refuses ${refused[0]}: see its access list`)
    })
  })
  client.on('close', () => changed('no connection to the broker; trying again'))
  client.on('error', error => changed(`the broker refuses this page: ${error.message}`))
  client.on('message', heard)
  return (topic, bytes) => { if (client.connected) client.publish(topic, bytes, { qos: 0 }) }
}
