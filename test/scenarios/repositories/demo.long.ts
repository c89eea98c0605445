import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import recording from '../../../examples/duration.recording.json' with { type: 'json' }

const run = promisify(execFile)
const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))
const branch = 'drydock/duration-1-3'
const order = ['carry', 'short', 'weeks', 'command']

interface Line {
  readonly type: string
  readonly story?: string | null
  readonly [key: string]: unknown
}

let folder: string
let repo: string
let lines: readonly Line[]

/** The environment of a new user: an empty home, and only the package's own Node. */
const envOf = (home: string) => ({ PATH: process.env.PATH ?? '', HOME: join(home, 'home'), TMPDIR: home })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  await mkdir(join(folder, 'home'))
  const { stdout } = await run(bin, ['demo', '--json'], {
    cwd: join(folder, 'home'),
    env: envOf(folder),
    maxBuffer: 1e8,
  })
  lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  repo = join(await demoIn(folder), 'duration')
}, 600_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

async function demoIn(parent: string): Promise<string> {
  const name = (await readdir(parent)).find((each) => each.startsWith('drydock-demo-'))
  if (name === undefined) throw new Error(`there is no demo in ${parent}`)
  return join(parent, name)
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', ['-C', repo, ...args])).stdout.trim()
}

const of = (type: string, story: string | null) => lines.filter((line) => line.type === type && line.story === story)
const pick = (all: readonly Line[], ...keys: string[]) => all.map((line) => keys.map((key) => line[key]).join(' '))

test('the demo is one JSON object a line, from the run to a result with four stories DONE', () => {
  expect(lines[0]).toMatchObject({ type: 'run', kind: 'spec', title: 'Duration 1.3' })
  const stories = order.map((id) => ({ id, state: 'DONE', tokens: expect.toSatisfy((tokens) => tokens > 1_000) }))
  expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'DONE', branch, stories })
})

test('it is built by two coders, and every recorded turn is played', async () => {
  const [name = ''] = await readdir(join(repo, '..', 'state'))
  const workspaces = await readdir(join(repo, '..', 'state', name, 'workspaces'))
  const slots = ['coder-001', 'coder-002']
  expect(workspaces.toSorted()).toEqual(slots.flatMap((slot) => [slot, `${slot}.history`]))
  const played: Record<string, number> = {}
  for (const { type, lane } of lines) {
    if (type === 'model_call') played[String(lane)] = (played[String(lane)] ?? 0) + 1
  }
  expect(played).toEqual(
    Object.fromEntries(Object.entries(recording.lanes).map(([lane, turns]) => [lane, turns.length])),
  )
  expect(lines.filter(({ type, tool, ok }) => type === 'tool' && !ok && !String(tool).startsWith('submit_'))).toEqual(
    [],
  )
})

test('a story is planned again after three failures in a row', () => {
  expect(pick(of('verification', 'carry'), 'status')).toEqual(['FAIL', 'FAIL', 'FAIL', 'PASS', 'PASS'])
  expect(pick(of('state', 'carry'), 'event', 'to').filter((each) => each.startsWith('replan'))).toEqual([
    'replan PLANNING',
  ])
})

test('a review finds something, which is fixed', () => {
  const reviews = of('review', 'short').filter(({ kind }) => kind === 'code')
  expect(reviews).toMatchObject([
    {
      round: 1,
      verdict: 'NEEDS_CHANGES',
      open: 1,
      findings: [{ id: 'c1', severity: 'major', file: 'src/format.js', line: 7 }],
    },
    { round: 2, verdict: 'APPROVED', open: 0, findings: [] },
    { round: 3, verdict: 'APPROVED', open: 0, findings: [] },
  ])
})

test('a merge returns from a conflict, and is verified and reviewed again', () => {
  expect(pick(of('merge', 'short'), 'state')).toEqual(['MERGING', 'RETURNED', 'MERGING', 'MERGED'])
  expect(of('merge', 'short')[1]).toMatchObject({ state: 'RETURNED', conflicts: ['src/format.js'] })
  expect(pick(of('verification', 'short'), 'status')).toEqual(['PASS', 'PASS', 'PASS', 'PASS'])
})

test('a plan is sent back, and when it cannot be agreed on, a human is asked and answers after a while', () => {
  expect(pick(of('review', 'weeks'), 'kind', 'round', 'verdict')).toEqual([
    'plan 1 NEEDS_CHANGES',
    'plan 2 NEEDS_CHANGES',
    'plan 3 APPROVED',
    'code 1 APPROVED',
  ])
  const asked = lines.filter(({ type }) => type === 'escalation')
  const answered = lines.filter(({ type }) => type === 'escalation_answered')
  expect(asked).toMatchObject([
    {
      id: '1',
      story: 'weeks',
      question: expect.stringContaining('sent back 2 times'),
      evidence: expect.stringContaining('not mine to guess'),
    },
  ])
  expect(answered).toMatchObject([{ id: '1', story: 'weeks', answer: recording.human[0]?.reply }])
  const [from, to] = [asked, answered].map(([line]) => Date.parse(String(line?.at)))
  expect((to ?? 0) - (from ?? 0)).toBeGreaterThan(3_500)
})

test('a story starts when the two that it depends on are DONE', () => {
  const begun = lines.findIndex(({ type, story }) => type === 'state' && story === 'command')
  for (const id of ['short', 'weeks']) {
    const done = lines.findIndex(({ type, story, to }) => type === 'state' && story === id && to === 'DONE')
    expect(done).toBeGreaterThan(0)
    expect(begun).toBeGreaterThan(done)
  }
})

test('the branch has a commit a story, and its own tests pass', async () => {
  const { run: id } = lines[0] as unknown as { run: string }
  const trailers = await git(
    'log',
    '--reverse',
    '--format=%(trailers:key=Drydock-Story,valueonly,separator=)',
    `main..${branch}`,
  )
  expect(trailers.split('\n')).toEqual(order.map((story) => `${id}/${story}`))
  const clone = join(folder, 'clone')
  await run('git', ['clone', '--quiet', '--branch', branch, repo, clone])
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: clone, env: envOf(folder) })
  expect(stdout).toMatch(/^# pass 13\n# fail 0$/m)
})

test('nothing else of the repository is changed', async () => {
  expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  expect(await git('status', '--porcelain', '--ignored')).toBe('')
  expect((await git('for-each-ref', '--format=%(refname)')).split('\n')).toEqual([
    `refs/heads/${branch}`,
    'refs/heads/main',
    'refs/notes/drydock',
  ])
  expect(await git('rev-list', '--count', 'main')).toBe('1')
  const keys = (await git('config', '--local', '--name-only', '--list')).split('\n')
  expect(keys.filter((key) => !key.startsWith('core.'))).toEqual([])
  const sample = fileURLToPath(new URL('../../../examples/duration', import.meta.url))
  expect(await git('--work-tree', sample, 'diff', '--stat', 'main')).toBe('')
})
