import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { VerifierInput, VerifierWorld } from '../verifier-world.ts'
import { lookAround } from './look-around.ts'

export const testOf = (name: string, value: number) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${name} } from './${name}.js'

test('${name} of one', () => assert.equal(${name}(1), ${value}))
`

export const base = {
  'package.json': '{ "type": "module" }\n',
  'look.cjs': lookAround,
  'double.js': 'export function double(n) {\n  return n + n\n}\n',
  'double.test.js': testOf('double', 2),
}

export const change = {
  'double.js': 'export function double(n) {\n  if (n > 100) {\n    return 200\n  }\n  return 2 * n\n}\n',
  'double.test.js': `${testOf('double', 2)}test('double of two', () => assert.equal(double(2), 4))\n`,
  'triple.js': 'export function triple(n) {\n  return 3 * n\n}\n',
  'triple.test.js': testOf('triple', 3),
}

export type StepView = Readonly<Record<string, unknown>>

export const look = 'node look.cjs && node --test'

/** The observations of each run of the step that looks around, by the name of its log. */
export async function seenIn(
  world: VerifierWorld,
  commit: string,
  how: Partial<VerifierInput> = {},
): Promise<ReadonlyMap<string, StepView>> {
  const steps = [{ command: look }]
  const answer = await world.ask({ steps, commit, purpose: 'change', assurance: 'full', ...how })
  expect(answer).toMatchObject({ status: 'PASS' })
  const found = new Map<string, StepView>()
  for (const name of readdirSync(`${world.folder(answer.run_id)}/logs`)) {
    const lines = world.read(answer.run_id, `logs/${name}`).split('\n')
    const line = lines.find((each) => each.startsWith('SEEN '))
    if (line !== undefined && name !== 'combined.log') found.set(name, JSON.parse(plain(line.slice(5))) as StepView)
  }
  return found
}

/** Folder names that are drawn for each run reveal nothing about it. */
function plain(text: string): string {
  return text.replace(/\b[0-9a-f]{16,64}\b|(?<=bindfile|drydock-pipe-)\w{6}\b/g, 'drawn')
}

/** These depend on the commit, which differs for the base. */
export const ofCommit = ['repository', 'commits', 'history', 'objects']

export function expectEqual(
  one: StepView | undefined,
  other: StepView | undefined,
  { butFor }: { readonly butFor: readonly string[] },
) {
  const rest = (seen: StepView | undefined) =>
    Object.fromEntries(Object.entries(seen ?? {}).filter(([name]) => !butFor.includes(name)))
  expect(rest(one)).toEqual(rest(other))
}
