import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  approve,
  createCrewFixture,
  greenStory,
  type Lanes,
  needsChanges,
  reject,
  specLanes,
  submit,
  writeFile as writing,
} from '../scenarios/world/crew.ts'
import { type CommandResult, call, type Fixture, resultOf, runHere } from '../scenarios/world/fixture.ts'
import { startWireCrew } from '../scenarios/world/wire-crew.ts'

const _key = 'sk-canary-71d0e5b2c9'

let fixture: Fixture
afterEach(() => fixture.remove())

const fileOf = () => join(fixture.folder, 'run.recording.json')
const recorded = async () => JSON.parse(await readFile(fileOf(), 'utf8'))

/** Plays the recording in a state without the Run. */
function replay(...args: readonly string[]): Promise<CommandResult> {
  const env = { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, 'fresh') }
  return runHere([...args, '--model', `replay:${fileOf()}`, '--json', '--no-wait', '--repo', fixture.repo], env)
}

/** The tree and the purpose of each commit of a result. */
async function commitsOf(result: CommandResult): Promise<readonly string[]> {
  const { branch } = resultOf(result)
  const log = await fixture.git('log', '--format=%T %s', `main..${String(branch)}`)
  return log.split('\n')
}

async function _configureProvider(wire: object): Promise<void> {
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { wire } }))
}

describe('a crew', () => {
  /**
   * Two stories side by side, one of which its reviewer sends back; a third one that a human
   * decides about.
   */
  const lanes: Lanes = {
    ...specLanes('alpha', 'beta', 'gamma'),
    ...greenStory('alpha'),
    ...greenStory('beta', 'first\n'),
    'architect/REQUEST/code/beta/1': [
      call('get_diff', { coder_id: '${coder_id}' }),
      needsChanges('Not this one.', [
        { severity: 'major', file: 'beta.txt', claim: 'beta.txt says first', evidence: 'beta.txt:1 at ${sha}' },
      ]),
    ],
    'editor/beta/CODING': [
      writing('beta.txt', 'first\n'),
      submit('beta'),
      writing('beta.txt', 'second, not ${coder_id} nor $5\n'),
      submit('beta'),
    ],
    'architect/REQUEST/code/beta/2': [
      call('get_diff', { coder_id: '${coder_id}', base: '${sha}' }),
      approve({ findings: [] }),
    ],
    'editor/gamma/PLANNING': greenStory('gamma')['editor/gamma/PLANNING'] ?? [],
    'architect/REQUEST/plan/gamma/1': [reject('Nobody wants it.')],
  }

  test('is recorded with its humans and its merges, and replayed to the same commits without a request', async () => {
    fixture = await createCrewFixture()
    const wire = await startWireCrew(fixture, lanes)
    onTestFinished(() => wire.close())
    const spec = 'Make the files'
    const waiting = await fixture.drydock(
      'run',
      spec,
      '--model',
      wire.model,
      '--json',
      '--no-wait',
      '--record',
      fileOf(),
    )
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    expect(Object.keys((await recorded()).lanes)).toContain('architect/REQUEST/plan/gamma/1')
    expect(await recorded()).not.toHaveProperty('human')

    const id = waiting.events.find(({ type }) => type === 'escalation')?.id
    await fixture.drydock('reply', String(id), 'skip')
    const done = await fixture.drydock('resume', '--json', '--no-wait', '--record', fileOf())
    expect(done.exitCode, done.stderr).toBe(3)
    expect(done.stderr).toMatch(/Recorded \d+ turns in .*run\.recording\.json/)
    const recording = await recorded()
    expect(recording).toMatchObject({ version: 1, human: [{ escalation: 1, reply: 'skip' }] })
    expect([...recording.merge_order].sort()).toEqual(['alpha', 'beta'])
    expect(recording.lanes['architect/REQUEST/code/beta/1'][0].calls).toEqual([
      { tool: 'get_diff', input: { coder_id: '${coder_id}' } },
    ])
    expect(JSON.stringify(recording.lanes['architect/REQUEST/code/beta/1'][1])).toContain('beta.txt:1 at ${sha}')
    expect(JSON.stringify(recording)).not.toMatch(/[0-9a-f]{40}|coder-00\d/)

    const asked = wire.heard.length
    const again = await replay('run', spec)
    expect(again.exitCode, again.stderr).toBe(3)
    expect(wire.heard.length).toBe(asked)
    expect(await commitsOf(again)).toEqual(await commitsOf(done))
    expect(resultOf(again)).toMatchObject({ status: resultOf(done).status, tokens: 0, cost_usd: 0 })
  })
})
