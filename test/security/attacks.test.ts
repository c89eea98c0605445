import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { carryOut } from '../../src/security/attack.ts'
import { attacks } from '../../src/security/attacks.ts'
import { openRange } from '../../src/security/range.ts'
import { rows } from '../../src/security/rows.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

let range: Awaited<ReturnType<typeof openRange>>
beforeAll(async () => {
  const installation = { command: [process.execPath, main], env: process.env, flags: {} }
  range = await openRange(installation, new AbortController().signal)
})
afterAll(() => range[Symbol.asyncDispose]())

// Most of their time attacks wait for processes that they have started: those of a row for each
// other, and the rows as well.
describe.concurrent.each(Object.keys(rows))('%s', (row) => {
  const ofRow = attacks.filter((attack) => attack.row === row).map((attack) => [attack.name, attack] as const)

  test('is attacked, each time in another way', () => {
    expect(ofRow).not.toEqual([])
    expect(new Set(ofRow.map(([name]) => name)).size).toBe(ofRow.length)
  })

  test.for(ofRow)('holds when %s', async ([, attack], context) => {
    const outcome = await carryOut(attack, range)
    if (outcome.status === 'not applicable') context.skip(outcome.reason)
    context.expect(outcome).toMatchObject({ observed: attack.expected, status: 'ok' })
  })
})
