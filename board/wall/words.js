// Texts of both pages.

/** A span of time, in ms, as people say it. */
export function span (time) {
  const seconds = Math.max(0, Math.round(time / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
