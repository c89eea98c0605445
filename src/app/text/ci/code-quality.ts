import { createHash } from 'node:crypto'
import type { Annotation } from './annotations.ts'

const severities = { error: 'major', warning: 'minor', notice: 'info' } as const

/** A path for annotations without one, since the format requires a file. */
const nowhere = '.drydock/config.json'

/** GitLab's code quality report, which shows each entry beside its line. */
export function codeQuality(annotations: readonly Annotation[]): string {
  const seen = new Map<string, number>()
  const entries = annotations.map(({ level, kind, title, message, file, line }) => {
    const what = [kind, file ?? '', message].join('\0')
    const nth = seen.get(what) ?? 0
    seen.set(what, nth + 1)
    return {
      description: `${title}: ${message.replaceAll(/\s+/g, ' ')}`,
      check_name: `drydock/${kind}`,
      fingerprint: createHash('sha256').update(`${what}\0${nth}`).digest('hex'),
      severity: severities[level],
      location: { path: file ?? nowhere, lines: { begin: line ?? 1 } },
    }
  })
  return `${JSON.stringify(entries, null, 2)}\n`
}
