import type { Redact } from './redact.ts'

/** Redacts each string in the data; returns the same object if nothing changes. */
export function redactedData<T>(data: T, redact: Redact): T {
  if (typeof data === 'string') return redact(data) as T
  if (Array.isArray(data)) {
    const clean = data.map((item: unknown) => redactedData(item, redact))
    return clean.some((item, i) => item !== data[i]) ? (clean as T) : data
  }
  if (data === null || typeof data !== 'object') return data
  const entries = Object.entries(data)
  const clean = entries.map(([key, value]) => [redact(key), redactedData(value, redact)] as const)
  return clean.some(([key, value], i) => key !== entries[i]?.[0] || value !== entries[i]?.[1])
    ? (Object.fromEntries(clean) as T)
    : data
}
