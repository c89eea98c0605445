import { expect, test } from 'vitest'
import { machineOfRow } from '../../src/adapters/store/machine-of-row.ts'
import { limits } from '../../src/domain/limits.ts'

const at = '2026-11-23T10:00:00.000Z'
const rowOf = (id: string, data: object = { n: 1 }) => ({
  id,
  kind: 'slot',
  run: 'r',
  story: null,
  state: 'FREE',
  version: 1,
  sequence: 1,
  data: JSON.stringify(data),
  host: null,
  created_at: at,
  updated_at: at,
})

test('the same row is the same machine, and any other row of it another one', () => {
  const row = rowOf('a')
  const machine = machineOfRow({ ...row })
  expect(machineOfRow({ ...row })).toBe(machine)
  const changed = [{ version: 2 }, { state: 'GIVEN' }, { data: '{"n":2}' }, { run: 'q' }, { story: 's' }]
  for (const change of changed) {
    const { data, ...facts } = { ...row, ...change }
    const { id, run, story, state, version } = facts
    const now = machineOfRow({ ...row, ...change })
    expect(now).toEqual({ id, kind: 'slot', run, story, state, version, data: JSON.parse(data) })
    expect(machineOfRow({ ...row })).toEqual(machine)
  }
})

test('only so many machines are kept', () => {
  const machine = machineOfRow(rowOf('first'))
  for (let n = 0; n < limits.machinesInMemory; n += 1) machineOfRow(rowOf(`more-${n}`))
  const again = machineOfRow(rowOf('first'))
  expect(again).toEqual(machine)
  expect(again).not.toBe(machine)
})
