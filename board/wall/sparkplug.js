// Payloads of Sparkplug B as far as a hub says them: metrics with a name or an alias, a time and one value. The bytes are those of Protocol Buffers
// (https://protobuf.dev/programming-guides/encoding); numbers of fields are those of Sparkplug 3.0, 6.4.1. What is unknown is passed over, what is
// broken is an error: a page never hangs on bytes from the broker.

const text = new TextDecoder()

/** Fields one after another: [number, value]. The value is a number, or the bytes of a longer field. */
function * fields (bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= bytes.length) throw new RangeError('a varint ends early')
      const byte = bytes[at++]
      // Beyond 2^53 no number is exact, and no number that a page shows is so large.
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new RangeError('a varint is too long')
  }
  const take = count => {
    if (count > bytes.length - at) throw new RangeError('a field ends early')
    at += count
    return at - count
  }
  while (at < bytes.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case 0: yield [number, varint()]; break
      case 1: yield [number, view.getFloat64(take(8), true)]; break
      case 2: { const count = varint(); yield [number, bytes.subarray(take(count), at)]; break }
      case 5: yield [number, view.getFloat32(take(4), true)]; break
      default: throw new RangeError(`wire type ${tag % 8}`)
    }
  }
}

function metric (bytes) {
  const one = { name: '', alias: 0, time: 0, value: null, isOld: false }
  for (const [number, value] of fields(bytes)) {
    switch (number) {
      case 1: one.name = text.decode(value); break
      case 2: one.alias = value; break
      case 3: one.time = value; break
      case 5: one.isOld = value !== 0; break
      case 7: if (value !== 0) return { ...one, value: null }; break
      // Two's complement: a negative whole number is one of 64 bits.
      case 10: case 11: one.value = value >= 2 ** 63 ? value - 2 ** 64 : value; break
      case 12: case 13: one.value = value; break
      case 14: one.value = value !== 0; break
      case 15: one.value = text.decode(value); break
    }
  }
  return one
}

/** `{time, sequence, metrics}` of a payload. Throws a RangeError if the bytes are no payload. */
export function payload (bytes) {
  const all = { time: 0, sequence: null, metrics: [] }
  for (const [number, value] of fields(bytes)) {
    if (number === 1) all.time = value
    if (number === 2) all.metrics.push(metric(value))
    if (number === 3) all.sequence = value
  }
  return all
}

/** Request for the births of a hub: the metric `Node Control/Rebirth`, true. Hubs obey no other request. */
export function rebirthRequest () {
  const name = new TextEncoder().encode('Node Control/Rebirth')
  return Uint8Array.from([0x12, name.length + 6, 0x0a, name.length, ...name, 0x20, 11, 0x70, 1])
}
