import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { change, createFixture as createRealFixture, plan, resultOf, write } from '../world/fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const runIds = async () => [...(await (await fixture.open()).openArtifacts().runs())].sort()

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
  expect(await runIds()).toEqual([stuck, ...verified.slice(2)].sort())

  expect((await fixture.drydock('cancel', `${task.run}`, '--json')).exitCode).toBe(5)
  expect(await fixture.drydock('gc')).toMatchObject({ exitCode: 0 })
  expect(await runIds()).toHaveLength(20)
  expect(await runIds()).not.toContain(stuck)
})

test('`gc` removes what a killed verification and a layer in the making left, and says so as `status` does', async ({
  onTestFinished,
}) => {
  const real = await createRealFixture()
  onTestFinished(() => real.remove())
  await real.drydock('verify')
  const { state } = await real.open()
  const runs = join(state, 'artifacts/runs')
  const known = readdirSync(runs)
  const left = ['.run_20260101_000000_bbbbbb', 'run_20260101_000000_aaaaaa']
  for (const name of left) mkdirSync(join(runs, name, 'build'), { recursive: true })
  const draft = join(state, 'artifacts/cache/layers/.abc.def')
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'big'), Buffer.alloc(3_000_000, 1))
  expect((await real.drydock('status')).stdout).toMatch(/State: [\d.]+ MiB in .*\(.*; smaller with: drydock gc\)/)
  const said = (await real.drydock('gc')).stdout
  expect(said).toContain('Removed the artifacts of 2 verifications')
  expect(said).toMatch(/The state now has [\d.]+ [KM]iB, (2\.[89]|3\.\d) MiB less/)
  expect([readdirSync(runs), existsSync(draft)]).toEqual([known, false])
})
