import { limits } from '../../domain/limits.ts'
import { capText } from '../../domain/text.ts'

/** Somebody else's text, cut to its limit; empty if missing. */
export function textOf(text: string | null | undefined): string {
  return capText(text ?? '', limits.forge.textChars)
}

/** The last whole lines of a log. */
export function endOfLog(log: string): string {
  if (log.length <= limits.forge.logBytes) return log
  const end = log.slice(-limits.forge.logBytes)
  return end.slice(end.indexOf('\n') + 1)
}

export function oldestFirst<T extends { readonly at: string }>(items: readonly T[], since: Date): readonly T[] {
  const from = since.toISOString()
  return items
    .map((item) => ({ ...item, at: new Date(item.at).toISOString() }))
    .filter(({ at }) => at >= from)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
