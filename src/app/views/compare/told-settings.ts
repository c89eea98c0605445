import type { Comparison } from '../../../api/comparison.ts'
import { limits } from '../../../domain/limits.ts'
import type { Run } from '../../../domain/run/run.ts'
import { capText } from '../../../domain/text.ts'
import { oneLine } from '../../text/one-line.ts'

/** The settings in which two Runs differ: models, bounds, and the steps of the gate. */
export function toldDifferently(a: Run, b: Run): Comparison['settings'] {
  const [left, right] = [settingsOf(a), settingsOf(b)]
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    const [one, other] = [left.get(name) ?? null, right.get(name) ?? null]
    return one === other ? [] : [{ name, a: shown(one), b: shown(other) }]
  })
}

function shown(value: string | null): string | null {
  return value === null ? null : capText(oneLine(value), limits.live.lineChars)
}

function settingsOf({ data }: Run): ReadonlyMap<string, string> {
  const { models, config, budget, target, base } = data
  const fallback = models?.fallback ?? {}
  const bounds = budget ?? config?.budget ?? null
  const named: readonly (readonly [string, unknown])[] = [
    ...(['architect', 'editor', 'scout'] as const).flatMap((role) => [
      [`model of the ${role}`, models?.[role]] as const,
      [`fallback of the ${role}`, fallback[role]?.join(', ')] as const,
    ]),
    ['target branch', target],
    ['base commit', base],
    ['priority', data.priority],
    ['dollars of the run', bounds?.runUsd],
    ['dollars of a story', bounds?.storyUsd],
    ['tokens of the run', bounds?.runTokens],
    ['tokens of a story', bounds?.storyTokens],
    ['package', config?.package],
    ['writes of steps', config?.writes],
    ['planning iterations', config?.planningIterations],
    ['coding iterations', config?.codingIterations],
    ['rounds of a review', config?.reviewRounds],
    ['seconds of a tool', config?.toolTimeoutSec],
    ...(config?.prepare ?? []).map(({ name, command }) => [`prepare: ${name}`, command] as const),
    ...(config?.steps ?? []).map(({ name, command }) => [`step: ${name}`, command] as const),
    ['tests that may fail', config?.allowFailing?.join(', ')],
    ['flags that may update', config?.allowUpdating?.join(', ')],
    ['assurance', config?.assurance],
    ['assurance budget', config?.assuranceBudget],
  ]
  return new Map(
    named.flatMap(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
      return text === '' || value === null ? [] : [[name, text] as const]
    }),
  )
}
