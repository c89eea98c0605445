import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { alwaysGreen, approve, type Lanes, reply, specLanes } from '../scenarios/world/crew.ts'
import { type CommandResult, type Fixture, resultOf } from '../scenarios/world/fixture.ts'
import { launch, processesOf } from '../scenarios/world/process.ts'
import { wireKey } from '../wire/wire-models.ts'
import type { Action } from './agent-hands.ts'
import { attackCommand } from './attack-command.ts'
import type { PinnedAgent } from './pinned-agents.ts'
import { realAgentWorld } from './real-agent-world.ts'

/** The findings of a trial besides its success. */
export interface TrialFacts {
  /** The agent's own version string. */
  readonly version?: string | null
  /** True if the agent continued its earlier session. */
  readonly loads?: boolean
}

const write = (word: string, file = 'value.txt'): Action => ({ run: `echo ${word} > ${file}` })
// Some agents check calls against a tool's schema, which requires a hypothesis.
const hypothesis = 'The file says something else.'
const submit: Action = { tool: 'submit_change', input: { summary: 'Say new', hypothesis } }
// The criterion names the step, which is red on the base as well, so that nobody is asked about it.
const criterion = ['--criterion', 'The step test passes'] as const
const task = ['task', ...criterion, '--json', '--no-wait', '--editor-model'] as const

/** A task to DONE, whose calls were counted. */
export async function doesTask(agent: PinnedAgent): Promise<TrialFacts> {
  const { fixture, model, id } = await realAgentWorld(agent, { actions: [write('new'), submit] })
  const done = await fixture.drydock(...task, id, 'say new')
  expectDone(done)
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  const calls = done.events.filter(({ type }) => type === 'model_call')
  expect(calls).toHaveLength(model.requests.length)
  expect(resultOf(done).cost_usd).toBeGreaterThan(0)
  const [session] = await sessionsOf(fixture, done)
  return { version: session?.version ?? null }
}

/** A first try that the gate finds red, fixed after the verdict. */
export async function mendsAfterVerdict(agent: PinnedAgent): Promise<TrialFacts> {
  const actions = [write('wrong'), submit, write('new'), submit]
  const { fixture, model, id } = await realAgentWorld(agent, { actions })
  const done = await fixture.drydock(...task, id, 'say new')
  expectDone(done)
  expect(verdicts(done)).toEqual(['FAIL', 'PASS'])
  expect(model.requests.some(({ raw }) => raw.includes('grep -q new value.txt') && raw.includes('FAIL'))).toBe(true)
  return { loads: (await sessionsOf(fixture, done)).some(({ loaded }) => loaded) }
}

const answer = 'The file is called one.txt, and nothing else.'
const storyPlan = {
  behaviour_change: 'one.txt is there',
  acceptance_criteria: ['one.txt is there'],
  non_goals: [],
  slices: ['write it'],
  files: ['one.txt'],
  tests: [],
  hypothesis,
}
const architect: Lanes = {
  ...specLanes('one'),
  'architect/REQUEST/plan/one/1': [approve()],
  'architect/REQUEST/question/one/1': [reply(answer)],
  'architect/REQUEST/code/one/1': [approve()],
}

/** In a crew: the agent plans, asks the architect, builds by the answer, and is reviewed. */
export async function asksArchitect(agent: PinnedAgent): Promise<TrialFacts> {
  const actions: readonly Action[] = [
    { tool: 'submit_plan', input: storyPlan },
    { tool: 'ask_architect', input: { question: 'What is the file called?' } },
    write('one', 'one.txt'),
    submit,
  ]
  const { fixture, model, id } = await realAgentWorld(agent, { actions, fixture: { steps: [alwaysGreen] } })
  const others = await fixture.replay(architect)
  const run = ['run', 'Make the files', '--json', '--no-wait', '--model', others, '--editor-model', id]
  const done = await fixture.drydock(...run)
  expectDone(done)
  expect(model.requests.some(({ raw }) => raw.includes(answer))).toBe(true)
  return {}
}

/** Drydock is killed while the agent waits for its model; the agent's edits are not lost. */
export async function survivesKill(agent: PinnedAgent): Promise<TrialFacts> {
  let kill = async () => {}
  const actions = [write('new'), { run: 'true' }, submit]
  const before = (_: Action, index: number) => (index === 1 ? kill() : undefined)
  const { fixture, id } = await realAgentWorld(agent, { actions, before })
  const running = launch([...task, id, 'say new', '--repo', fixture.repo], { env: fixture.env })
  kill = async () => {
    running.child.kill('SIGKILL')
    await running.ended
  }
  expect((await running.ended).signal).toBe('SIGKILL')
  expect(await processesOf(fixture.folder)).toEqual([])
  const done = await fixture.drydock('resume', '--json', '--no-wait')
  expectDone(done)
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  expect(verdicts(done)).toEqual(['PASS'])
  return { loads: (await sessionsOf(fixture, done)).some(({ loaded }) => loaded) }
}

/** The agent can read, reach and find nothing outside its sandbox. */
export async function isShutIn(agent: PinnedAgent): Promise<TrialFacts> {
  const host = await hostFiles()
  const actions: Action[] = [{ run: 'sh attack.sh' }, { run: 'rm attack.sh; echo new > value.txt' }, submit]
  const { fixture, model, id } = await realAgentWorld(agent, {
    actions,
    fixture: { files: { 'attack.sh': 'false\n' } },
  })
  await fixture.write({ 'attack.sh': attackCommand({ ...host, origin: model.origin, key: wireKey }) })
  await fixture.git('commit', '-qam', 'an attack')
  const done = await fixture.drydock(...task, id, 'say new')
  expectDone(done)
  const found = await fixture.git('show', 'drydock/say-new:attack.txt')
  expect(found.split('\n')).toEqual([
    'a file outside: not read',
    'the network: not reached',
    'the host: not reached',
    'the key in environments and command lines: 0',
    'the key in files: 0',
    'what it has instead of a key: found',
  ])
  expect(existsSync(host.planted)).toBe(false)
  return {}
}

async function hostFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-outside-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const outside = join(folder, 'secret.txt')
  await writeFile(outside, 'nobody may read this\n')
  return { outside, planted: join(folder, 'planted.txt') }
}

function expectDone(done: CommandResult): void {
  expect(resultOf(done).status, `${done.stdout.slice(-5_000)}\n${done.stderr}`).toBe('DONE')
}

function verdicts({ events }: CommandResult): readonly unknown[] {
  return events.filter(({ type }) => type === 'verification').map(({ status }) => status)
}

interface Session {
  readonly version: string | null
  readonly loaded: boolean
}

async function sessionsOf(fixture: Fixture, done: CommandResult): Promise<readonly Session[]> {
  await using closing = new AsyncDisposableStack()
  const records = (await fixture.open()).openRecords()
  closing.defer(() => records.close())
  const run = String(resultOf(done).run)
  const events = await records.recentEvents({ run, types: ['agent_session'], limit: 50 })
  return events.map(({ data }) => data as unknown as Session).toReversed()
}
