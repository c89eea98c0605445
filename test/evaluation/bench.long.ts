import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { call, change, greenLanes, plan, runHere, write } from '../scenarios/world/fixture.ts'
import { launch, processesOf } from '../scenarios/world/process.ts'
import { createBenchWorld } from './bench-world.ts'

/** Long enough for a busy machine. */
const minutes = 180_000

test(
  'after kill -9 a bench is resumed, and finished attempts are not repeated',
  async () => {
    const world = await createBenchWorld()
    const args = ['bench', world.suite, '--out', world.out, '--play', 'gold', '--repeats', '3', '--json']
    const killed = launch(args, { env: world.env })
    await killed.line(/"type":"attempt"/)
    killed.child.kill('SIGKILL')
    await killed.ended
    // The processes of the bench end by themselves, since nobody reads their output.
    await expect.poll(() => processesOf(world.folder)).toEqual([])
    const before = await world.records()
    expect(before.length).toBeLessThan(3)
    const first = join(world.out, 'attempts', 'say-new.task.1.gold.json')
    const { mtimeMs } = await stat(first)
    expect((await world.bench('--play', 'gold', '--repeats', '3')).stderr).toContain('holds a bench already')
    const resumed = await world.bench('--play', 'gold', '--repeats', '3', '--resume')
    expect(resumed.exitCode).toBe(0)
    expect((await world.records()).map(({ verdict }) => verdict)).toEqual(['resolved', 'resolved', 'resolved'])
    expect((await stat(first)).mtimeMs).toBe(mtimeMs)
    expect(existsSync(join(world.out, 'work'))).toBe(false)
    await world.suiteOf({ ...world.task, timeout_sec: 60 })
    const other = await world.bench('--play', 'gold', '--resume')
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('other settings: the files of the suite'),
    ])
  },
  2 * minutes,
)

test(
  'if two benches start in one folder at the same moment, one works and the other is refused',
  async () => {
    const world = await createBenchWorld()
    const both = await Promise.all([world.bench('--play', 'gold'), world.bench('--play', 'gold')])
    const [worked, refused] = both.toSorted((a, b) => a.exitCode - b.exitCode)
    expect([worked?.exitCode, refused?.exitCode], worked?.stderr).toEqual([0, 2])
    expect(refused?.stderr).toMatch(/^.* works on the bench in /m)
    expect(await world.records()).toMatchObject([{ verdict: 'resolved' }])
  },
  minutes,
)

test(
  'Ctrl-C ends a bench, and says how it continues',
  async () => {
    const world = await createBenchWorld()
    const args = ['bench', join(world.suite, 'suite.json'), '--out', world.out, '--play', 'gold', '--repeats', '3']
    const running = launch(args, { env: world.env })
    await running.line(/^1\/3 /)
    running.child.kill('SIGINT')
    const { exitCode, stderr } = await running.ended
    const line = `drydock bench ${world.suite}/suite.json --repeats 3 --play gold --out ${world.out} --resume`
    expect([exitCode, stderr]).toEqual([130, expect.stringContaining(`Continue with: ${line}\n`)])
    expect(await processesOf(world.folder)).toEqual([])
    const records = await world.records()
    expect(records.length).toBeLessThan(3)
    expect(records.filter(({ verdict }) => verdict !== 'resolved')).toEqual([])
  },
  minutes,
)

test(
  'an attempt ends with its time, and what it has left is judged',
  async () => {
    const world = await createBenchWorld()
    await world.suiteOf({ ...world.task, timeout_sec: 5 })
    const wait = call('run_command', { command: 'cat < /dev/zero > /dev/null', timeout_sec: 100 })
    const model = await world.replay({ ...greenLanes, 'editor/task/CODING': [wait, change()] })
    expect((await world.bench('--model', model)).exitCode).toBe(0)
    expect(await world.records()).toMatchObject([{ outcome: 'TIMEOUT', verdict: 'blocked', delivered: false }])
  },
  minutes,
)

test(
  'a question is answered from the suite, and counted',
  async () => {
    const world = await createBenchWorld({ config: { editor: { coding_iterations: 1 } } })
    await world.suiteOf({ ...world.task, mode: 'run', answer: 'Decide by the spec.' })
    const approve = [call('submit_reply', { response: 'Fine.', verdict: 'APPROVED' })]
    const story = { id: 'say', title: 'Say new', content: 'value.txt says new', acceptance_criteria: ['it says new'] }
    const model = await world.replay({
      'architect/SCOPING': [call('submit_reply', { response: 'One file.' })],
      'architect/STORY_GENERATION': [call('submit_stories', { stories: [story] })],
      'editor/say/PLANNING': [plan()],
      'architect/REQUEST/plan/say/1': approve,
      'editor/say/CODING': [write('new\n'), change()],
      'architect/REQUEST/budget/say/1': [call('submit_reply', { response: 'No.', verdict: 'REJECTED' })],
      'architect/REQUEST/code/say/1': approve,
    })
    await world.bench('--model', model)
    expect(await world.records()).toMatchObject([{ outcome: 'DONE', verdict: 'resolved', questions: 1 }])
  },
  minutes,
)

test(
  'each recording in a list of models is found from the folder of the command line',
  async () => {
    const world = await createBenchWorld()
    const model = await world.replay({ ...greenLanes, 'editor/task/CODING': [write('new\n'), change()] })
    const other = `replay:${relative('.', model.slice('replay:'.length))}`
    const { exitCode, stderr } = await world.bench('--model', `${other},${other}`)
    expect(exitCode, stderr).toBe(0)
    expect(await world.records()).toMatchObject([{ verdict: 'resolved' }])
  },
  minutes,
)

test(
  'a refusal by the command line is reported once, no attempt counts, and another model can take the folder',
  async () => {
    const world = await createBenchWorld({ config: { budget: { run_usd: 3 } } })
    const args = ['bench', world.suite, '--out', world.out, '--model', 'openai:gpt-none', '--repeats', '5']
    const { exitCode, stderr } = await runHere(args, { ...world.env, OPENAI_API_KEY: 'sk-none' })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('gpt-none')])
    expect(await world.records()).toEqual([])
    expect(existsSync(join(world.out, 'report.json'))).toBe(false)
    const model = await world.replay(greenLanes)
    expect((await world.bench('--model', model, '--resume')).exitCode).toBe(0)
    const other = await world.bench('--play', 'gold', '--resume')
    expect(other.stderr).toContain('other settings: models')
  },
  minutes,
)

test(
  'the gold solution is resolved by a crew and a task, the empty one is not, and a bench is resumed with the same settings alone',
  async () => {
    const world = await createBenchWorld()
    const gold = await world.bench('--play', 'gold', '--arms', 'crew,task', '--jobs', '2', '--json')
    expect(gold.exitCode).toBe(0)
    const records = await world.records()
    expect(records.map(({ arm, verdict, delivered }) => ({ arm, verdict, delivered }))).toEqual(
      ['crew', 'task'].map((arm) => ({ arm, verdict: 'resolved', delivered: true })),
    )
    const report = await readFile(join(world.out, 'report.md'), 'utf8')
    expect(report).toContain('| resolved | 100.0 % (1 of 1; 20.7–100.0) |')
    expect(report).toContain('| false block | 0.0 % (0 of 1; 0.0–79.3) | 0.0 % (0 of 1; 0.0–79.3) |')
    const [line] = (await readFile(join(world.out, 'predictions-task-1.jsonl'), 'utf8')).trim().split('\n')
    const prediction = JSON.parse(line ?? '')
    expect(prediction).toMatchObject({ instance_id: 'say-new', model_name_or_path: 'drydock-task-played-gold' })
    expect(prediction.model_patch).toMatch(/^diff --git a\/value.txt b\/value.txt\n(?:.*\n)*-old\n\+new\n$/)
    expect(existsSync(join(world.out, 'work'))).toBe(false)

    // A bench repeats no finished attempt, and reuses none of another suite or other models.
    const first = join(world.out, 'attempts', 'say-new.crew.1.gold.json')
    const { mtimeMs } = await stat(first)
    const same = ['--play', 'gold', '--arms', 'crew,task']
    expect((await world.bench(...same)).stderr).toContain('holds a bench already')
    expect((await world.bench(...same, '--resume')).exitCode).toBe(0)
    expect((await stat(first)).mtimeMs).toBe(mtimeMs)
    expect((await world.bench('--play', 'empty', '--arms', 'crew,task', '--resume')).stderr).toContain('other settings')
    await world.suiteOf({ ...world.task, timeout_sec: 60 })
    expect((await world.bench(...same, '--resume')).stderr).toContain('other settings: the files of the suite')
    await world.suiteOf(world.task)

    const empty = join(world.folder, 'empty')
    await world.bench('--play', 'empty', '--arms', 'task', '--out', empty)
    const { arms } = JSON.parse(await readFile(join(empty, 'report.json'), 'utf8'))
    expect(arms).toMatchObject([{ resolved: { hits: 0, of: 1 } }])
  },
  2 * minutes,
)
