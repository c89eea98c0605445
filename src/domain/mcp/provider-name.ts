/** The shortest limit of any provider. */
const longest = 64

/**
 * A tool's name in the form that every provider accepts. A name that is too long or has other
 * characters keeps its allowed ones, followed by a hash of the whole name. The result does not
 * depend on other tools.
 */
export function providerName(name: string): string {
  if (name.length <= longest && /^[A-Za-z0-9_-]+$/.test(name)) return name
  const hash = nameHash(name)
  const words = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, longest - hash.length - 1)
  return `${words.replace(/_+$/, '')}_${hash}`
}

/** Two rounds of FNV-1a: 12 characters of 64 bits. */
export function nameHash(text: string): string {
  const halves = [0x811c9dc5, 0x01000193].map((start) => {
    let sum = start
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i)
      sum = Math.imul(Math.imul(sum ^ (unit & 0xff), 0x01000193) ^ (unit >> 8), 0x01000193)
    }
    return (sum >>> 0).toString(36).padStart(7, '0').slice(-6)
  })
  return halves.join('')
}
