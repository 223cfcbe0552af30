// The connection of a page to the broker that serves it: over the same port, by web socket, again and again.

import { connect } from 'mqtt'

/** User and password from behind the '#' of the address, which no server sees; kept for this tab. */
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

/** Defaults without a file of settings. */
export const DEFAULTS = { title: 'Hearth', kind: 'gym', group: 'hearth', hubs: null, sort: 'name', maximum: 190, wearables: {} }

/** Settings of the page, from a file beside it; its name needs the password. null: it could not be read. */
export async function settings () {
  const [user, word] = credentials()
  if (!user) return null
  try {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${user}:${word}`)))
    const name = [...hash.subarray(0, 16)].map(byte => byte.toString(16).padStart(2, '0')).join('')
    const answer = await fetch(`${user}-${name}.json`, { cache: 'no-store' })
    return answer.ok ? { ...DEFAULTS, ...await answer.json() } : null
  } catch (error) {
    console.warn('what is shown', error.message)
    return null
  }
}

/**
 * Subscribes to `topics` and gives each message to `heard(topic, bytes, isKept)`. Reports its state to `changed(sentence)`: an empty
 * one is "connected". Returns a function that publishes.
 */
export function listen (topics, heard, changed) {
  const [username, password] = credentials()
  if (!username) {
    changed('open this page by the address that hearth-hall printed: it ends with #USER:PASSWORD')
    return () => {}
  }
  const isSecure = location.protocol === 'https:'
  const client = connect({
    protocol: isSecure ? 'wss' : 'ws', hostname: location.hostname, port: Number(location.port) || (isSecure ? 443 : 80), path: '/mqtt',
    username, password, clientId: 'wall-' + crypto.getRandomValues(new Uint32Array(2)).join('-'), clean: true, protocolVersion: 4,
    keepalive: 20, reconnectPeriod: 2000, connectTimeout: 10_000, resubscribe: false, queueQoSZero: false
  })
  // Reason of the broker, which it sends before it closes the connection.
  let refusal = ''
  client.on('connect', () => {
    refusal = ''
    changed('')
    client.subscribe(topics, { qos: 0 }, (error, granted) => {
      const refused = error ? topics : granted.filter(one => one.qos > 2).map(one => one.topic)
      if (refused.length) changed(`the broker refuses ${refused[0]}: see its access list`)
    })
  })
  client.on('close', () => changed(refusal || 'no connection to the broker; trying again'))
  client.on('error', error => { if (error.code > 0) changed(refusal = `the broker refuses this page (${error.message}): open it by the address that hearth-hall prints`) })
  client.on('message', (topic, bytes, packet) => heard(topic, bytes, packet.retain))
  return (topic, bytes) => { if (client.connected) client.publish(topic, bytes, { qos: 0 }) }
}
