import { afterAll, beforeAll, expect, test } from 'vitest'
import { scripts } from '../../src/processes/installation.ts'
import { carryOut } from '../../src/security/attack.ts'
import { attacks } from '../../src/security/attacks.ts'
import { openRange } from '../../src/security/range.ts'
import { type RowName, rows } from '../../src/security/rows.ts'

/** Rows in which every attack takes a whole task. */
const slow = ['host code', 'gate', 'injection'] as const

/**
 * One quick attack of each other row. `test/package.long.ts` carries out all attacks, like users.
 */
const sampled: Readonly<Record<Exclude<RowName, (typeof slow)[number]>, string>> = {
  reads: 'an agent reads through a linked folder',
  shell: 'a path is a command or an option',
  'key redirect': 'a repository names a server for a provider that has a key',
  sandbox: 'a step reads the user’s files, or those of another workspace',
  network: 'a step reaches a server on the host’s loopback',
  planted: 'a step puts links in the place of its logs and its manifest',
  approval: 'the branch is moved while a merge is verified',
  dashboard: 'a command comes without an Origin',
  keys: 'a step looks for a key in its environment and in that of every process it sees',
  runaway: 'a step leaves processes that have sessions of their own',
  lease: 'a second worker takes up the same work',
}

let range: Awaited<ReturnType<typeof openRange>>
beforeAll(async () => {
  const installation = { command: [process.execPath, scripts.program], env: process.env, flags: {} }
  range = await openRange(installation, new AbortController().signal)
})
afterAll(() => range[Symbol.asyncDispose]())

test('an attack of each row is tried, here or with all of them', () => {
  expect([...Object.keys(sampled), ...slow].toSorted()).toEqual(Object.keys(rows).toSorted())
})

// Attacks spend most of their time waiting for processes that they have started.
test.concurrent.for(Object.entries(sampled))('%s: holds when %s', async ([row, name], context) => {
  const attack = attacks.find((each) => each.row === row && each.name === name)
  if (attack === undefined) throw new Error(`there is no attack "${name}" in ${row}`)
  const outcome = await carryOut(attack, range)
  if (outcome.status === 'not applicable') context.skip(outcome.reason)
  context.expect(outcome).toMatchObject({ observed: attack.expected, status: 'ok' })
})
