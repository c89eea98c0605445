import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { change, createFixture, type Fixture, plan, resultOf, write } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture({
    steps: [{ name: 'test', command: 'grep -q new value.txt || (echo built > "$ARTIFACT_DIR/build/x"; false)' }],
  })
})
afterEach(() => fixture.remove())

const runsFolder = async () => join((await fixture.open()).artifacts, 'runs')
const runIds = async () => readdirSync(await runsFolder()).sort()

describe('artifacts', () => {
  test('of more than 20 verifications go, the oldest first, when a run ends; a stuck run keeps its own', async () => {
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('bad\n'), change()] }
    const model = await fixture.replay({
      ...lanes,
      'editor/task/CODING': [...lanes['editor/task/CODING'], ...Array(60).fill(write('bad\n'))],
    })
    const task = resultOf(await fixture.drydock('task', 'say new', '--model', model, '--json'))
    expect(task.status).toBe('STUCK')
    const [stuck] = await runIds()
    const verified: string[] = []
    for (let i = 0; i < 22; i += 1) {
      const result = await fixture.drydock('verify', '--json')
      verified.push(`${(resultOf(result).answer as { run_id?: string } | undefined)?.run_id}`)
    }
    const left = await runIds()
    expect(left).toHaveLength(21)
    expect(left).toContain(stuck)

    expect((await fixture.drydock('cancel', `${task.run}`, '--json')).exitCode).toBe(5)
    expect(await fixture.drydock('gc')).toMatchObject({ exitCode: 0 })
    expect(await runIds()).toHaveLength(20)
    expect(await runIds()).not.toContain(stuck)
  })

  test('that a killed or cancelled verification left are gone after `gc`, what is not old stays', async () => {
    await fixture.drydock('verify')
    const folder = await runsFolder()
    const [known = ''] = await runIds()
    for (const name of ['run_20260101_000000_aaaaaa', '.run_20260101_000000_bbbbbb'])
      mkdirSync(join(folder, name, 'build'), { recursive: true })
    const result = await fixture.drydock('gc', '--json')
    expect(result.events.at(-1)).toMatchObject({
      type: 'gc',
      verifications: ['run_20260101_000000_aaaaaa', 'run_20260101_000000_bbbbbb'],
    })
    expect(readdirSync(folder)).toEqual([known])
  })
})

test('`status` says how large the state is, and `gc` what it freed', async () => {
  await fixture.drydock('verify')
  const { state } = await fixture.open()
  expect((await fixture.drydock('status')).stdout).toMatch(/State: [\d.]+ [KM]iB in .*\(.*; smaller with: drydock gc\)/)
  const draft = join(state, 'artifacts/cache/layers/.abc.def')
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'big'), Buffer.alloc(3_000_000, 1))
  const result = await fixture.drydock('gc')
  expect(result.stdout).toMatch(/The state now has [\d.]+ [KM]iB, (2\.[89]|3\.\d) MiB less/)
  expect(existsSync(draft)).toBe(false)
})
