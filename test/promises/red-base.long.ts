import { readdir } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { call, change, createFixture, plan, resultOf, write } from '../scenarios/world/fixture.ts'
import { findGate, gateCommand, launch } from '../scenarios/world/process.ts'

const red = `import test from 'node:test'\ntest('old', () => { throw new Error('red') })\n`
const steps = [{ name: 'test', command: 'node --test --test-reporter=spec' }]

test('a red base is told beside the first lane, run once, and allowed by name', async () => {
  const fixture = await createFixture({ steps, files: { 'test/old.test.js': red } })
  onTestFinished(() => fixture.remove())
  const waits = call('run_command', { command: gateCommand })
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [waits, write('new\n'), change()] }
  const model = await fixture.replay(lanes)
  const { repo, env } = fixture
  const asked = launch(['task', 'say new', '--model', model, '--json', '--no-wait', '--repo', repo], { env })
  const gate = await findGate((await fixture.open()).workTrees.path('coder-001'))
  const told = JSON.parse(await asked.line(/"type":"base_verdict"/))
  expect(told).toMatchObject({ status: 'FAIL', count: 1, failing: [expect.stringContaining('old')] })
  await gate.open()
  expect((await asked.ended).exitCode).toBe(6)
  await fixture.drydock('reply', '1', 'allow')
  const done = await fixture.drydock('resume', '--json', '--no-wait')
  expect(done.exitCode, done.stdout + done.stderr).toBe(0)
  // Every verification found the result: none has run the steps on the base itself.
  const { state } = await fixture.open()
  const kept = await readdir(state, { recursive: true })
  expect(kept.filter((path) => /logs\/combined\.log$/.test(path))).toHaveLength(2)
  expect(kept.filter((path) => /logs\/base\.log$/.test(path))).toEqual([])
  const { branch } = resultOf(done)
  const shown = await fixture.drydock('receipt', 'show', String(branch))
  expect(shown.stdout).toMatch(/Allowed to fail: .*old/)
  expect((await fixture.drydock('receipt', 'verify', String(branch))).exitCode).toBe(0)
})
