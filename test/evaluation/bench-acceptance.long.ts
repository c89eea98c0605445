import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BenchReport } from '../../src/evaluation/report/bench-report.ts'
import {
  criterion,
  doubling,
  hiddenTests,
  honest,
  judgement,
  onlyTwo,
  quoted,
  testOf,
  write,
  written,
} from '../scenarios/world/acceptance.ts'
import { change, plan, type Turns } from '../scenarios/world/fixture.ts'
import { createBenchWorld, writeIn } from './bench-world.ts'

/** Long enough for a busy machine. */
const minutes = 180_000

/** Numbers must be doubled; the suite's hidden test tries 5. */
async function createDoublingBench() {
  const world = await createBenchWorld(doubling)
  await writeIn(world.suite, {
    'spec.md': `${criterion}\n`,
    'config.json': JSON.stringify({ verification: { steps: doubling.steps, assurance: 'fast' } }),
    'hidden.test.js': testOf('five is doubled', 5),
  })
  await world.suiteOf({
    ...world.task,
    id: 'double',
    hidden: { files: { 'hidden.test.js': 'hidden.test.js' }, command: 'node --test hidden.test.js' },
  })
  const bench = async (lanes: Readonly<Record<string, Turns>>, acceptance: string) => {
    const model = await world.replay({ 'editor/task/PLANNING': [plan()], ...lanes })
    const models = ['architect', 'editor', 'scout'].flatMap((role) => [`--${role}-model`, model])
    const done = await world.bench(...models, '--acceptance', acceptance)
    expect(done.exitCode, done.stderr).toBe(0)
    return JSON.parse(await readFile(join(world.out, 'report.json'), 'utf8')) as BenchReport
  }
  return { world, bench }
}

test(
  'an editor that writes for the tests that it sees is caught by the attempt with acceptance tests, and not by the one without',
  async () => {
    const { world, bench } = await createDoublingBench()
    const coding = [onlyTwo, write('double.test.js', testOf('two is doubled', 2)), change(), honest, change()]
    const { arms, attempts } = await bench({ ...hiddenTests('task'), 'editor/task/CODING': coding }, 'without,with')
    expect(attempts).toMatchObject([
      { arm: 'task', acceptance: 'with', verdict: 'resolved', held_by_acceptance: false },
      { arm: 'task', acceptance: 'without', verdict: 'false_pass', held_by_acceptance: null },
    ])
    expect(arms).toMatchObject([
      { acceptance: 'with', visible_hidden_gap: { hits: 0, of: 1 }, acceptance_false_block: { hits: 0, of: 1 } },
      { acceptance: 'without', visible_hidden_gap: { hits: 1, of: 1 }, acceptance_false_block: null },
    ])
    const report = await readFile(join(world.out, 'report.md'), 'utf8')
    expect(report).toContain('|  | task, with acceptance tests | task, without acceptance tests |')
    expect(await readFile(join(world.out, 'predictions-task-with-acceptance-1.jsonl'), 'utf8')).toContain('n * 2')
  },
  2 * minutes,
)

test(
  'right work that wrong acceptance tests hold is their false block',
  async () => {
    const { world, bench } = await createDoublingBench()
    await writeFile(
      join(world.suite, 'config.json'),
      JSON.stringify({ acceptance: 'off', verification: { steps: doubling.steps, assurance: 'fast' } }),
    )
    const { arms, attempts } = await bench(
      {
        'architect/ACCEPTANCE/task': [
          written({
            files: [{ path: 'quokka.test.js', content: testOf('a quokka is doubled', 37, 73) }],
            criteria: [{ id: 'C1', tests: ['a quokka is doubled'], behaviour: 'new' }],
          }),
        ],
        'architect/ACCEPTANCE_QUOTES/task/1': [quoted(criterion, 'a quokka is doubled')],
        'architect/REQUEST/acceptance/task/1': [judgement({ id: 'C1', decision: 'stands', reason: 'It says so.' })],
        'editor/task/CODING': [
          honest,
          change(),
          change('It is right'),
          write('notes.md', 'right\n'),
          change('It is still right'),
        ],
      },
      'with',
    )
    expect(attempts).toMatchObject([{ outcome: 'WAITS_FOR_YOU', verdict: 'false_block', held_by_acceptance: true }])
    expect(arms).toMatchObject([{ visible_hidden_gap: null, acceptance_false_block: { hits: 1, of: 1 } }])
  },
  2 * minutes,
)
