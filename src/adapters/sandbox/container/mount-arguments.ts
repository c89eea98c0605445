import { readFileSync } from 'node:fs'
import type { ResolvedPlainMount } from '../mounts.ts'

/** `--mount` options that bind-mount folders and files of the host. */
export function bindArguments(mounts: readonly ResolvedPlainMount[]): string[] {
  return withSubmounts(mounts).flatMap(({ source, at, access }) => [
    '--mount',
    fields(['type=bind', `source=${source}`, `target=${at}`, ...(access === 'read' ? ['readonly'] : [])]),
  ])
}

/** One record of comma-separated values, as `--mount` parses it. */
export function fields(values: readonly string[]): string {
  return values.map((value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(',')
}

/**
 * A read-only bind mount leaves mounts below it writable, so each of these gets its own read-only
 * mount.
 */
function withSubmounts(mounts: readonly ResolvedPlainMount[]): readonly ResolvedPlainMount[] {
  const taken = new Set(mounts.map(({ at }) => at))
  const points = mountPoints()
  const below = mounts
    .filter(({ access }) => access === 'read')
    .flatMap(({ source, at }) =>
      points
        .filter((point) => point.startsWith(`${source}/`))
        .map((point) => ({ source: point, at: `${at}${point.slice(source.length)}`, access: 'read' as const })),
    )
  return [...mounts, ...below.filter(({ at }) => !taken.has(at))]
}

function mountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n')
  const paths = lines.map((line) => (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, fromOctal))
  return [...new Set(paths)]
}

function fromOctal(_text: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8))
}
