import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/domain/json.ts'
import { call, change, createFixture, type Fixture, plan, type Turns, write } from '../world/fixture.ts'
import { sandboxProcesses } from '../world/sandbox-processes.ts'

const report = {
  repo_map: { relevant_files: [], entry_points: [], dependency_graph: {} },
  risk_zones: [],
  change_boundaries: { safe_slices: [], ordering_constraints: [] },
  conventions: { naming: '', patterns: [], anti_patterns: [] },
  prior_art: [],
  verification_tips: [],
  hypotheses: [],
}

/**
 * A whole story: a scout, a guide of a folder, commands, every kind of edit, a failed verification,
 * and a model call that fails once.
 */
export const lanes: Readonly<Record<string, Turns>> = {
  'editor/task/PLANNING': [
    call('ask_scout', { scout: 'codebase', question: 'Where?' }),
    call('read_file', { path: 'kept/a.txt' }),
    plan({ files: ['value.txt', 'moved.txt'] }),
  ],
  'scout/codebase/task/1.1': [call('list_files', { pattern: '*' }), call('submit_report', report)],
  'editor/task/CODING': [
    { calls: [{ tool: 'edit_file', input: { path: 'value.txt', old: 'old', new: 'old old' } }] },
    { calls: [{ tool: 'move_file', input: { from: 'away.txt', to: 'moved.txt' } }] },
    call('run_command', { command: 'echo once >> count.txt' }),
    change('Not yet'),
    { error: { kind: 'network', retryable: true } },
    call('delete_file', { path: 'gone.txt' }),
    write('new\n'),
    change('Say new'),
  ],
}

/** The same story without the failing call, after which a lane waits for a second. */
export const lanesInTime: typeof lanes = Object.fromEntries(
  Object.entries(lanes).map(([lane, turns]) => [lane, turns.filter((turn) => !('error' in turn))]),
)

export interface Story<Made extends Fixture = Fixture> {
  readonly fixture: Made
  readonly run: string
  /** Number of slots; 1 by default. */
  readonly coders?: number
}

export const storyFiles: Readonly<Record<string, string>> = {
  'away.txt': 'away\n',
  'gone.txt': 'gone\n',
  '.gitignore': 'count.txt\n',
  'kept/AGENTS.md': 'Keep it.\n',
  'kept/a.txt': 'a\n',
}

/** A stored story that has not started. */
export async function storedStory(env: Readonly<Record<string, string>> = {}): Promise<Story> {
  return storeStory(await createFixture({ env, files: storyFiles }))
}

export async function storeStory<Made extends Fixture>(fixture: Made, played = lanes): Promise<Story<Made>> {
  const model = await fixture.replay(played)
  const drydock = await fixture.open()
  const task = { text: 'say new', constraints: [], non_goals: [], files: [] }
  const request = { kind: 'task', task, dryRun: false, apply: false } as const
  const run = 'say-new-000000'
  const models = { architect: null, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return { fixture, run }
}

/**
 * Runs the story in processes that are killed at every commit, until `enough` or until one of them
 * finishes. `far` gives the number of commits of each process, or lets it run up to the commit that
 * completes the task. Returns the number of processes.
 */
export async function runKilled(
  { fixture, run, coders = 1 }: Story,
  moment: 'before' | 'after' | 'never',
  isEnough: () => Promise<boolean> = async () => false,
  far: (processes: number) => number | 'DONE' = () => 1,
): Promise<number> {
  const killable = fileURLToPath(new URL('./killable.ts', import.meta.url))
  for (let processes = 1; processes < 240; processes += 1) {
    const args = [fixture.repo, run, moment, String(far(processes)), String(coders)]
    const child = spawn(process.execPath, [killable, ...args], {
      env: fixture.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (signal === 'SIGKILL') {
      if (await isEnough()) return processes
      continue
    }
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Error') })
    return processes
  }
  throw new Error('the story does not end')
}

/**
 * Everything that a story leaves, without parts that differ between runs: times, ids and the
 * outcome of interrupted commands.
 */
export async function remains({ fixture, run }: Story) {
  const drydock = await fixture.open()
  const records = drydock.openRecords()
  const events = await records.events({ run, after: 0, limit: 10_000 })
  const laneNames = [
    ...new Set(events.filter((event) => event.type === 'lane').map(({ data }) => `${run}/${data.lane}`)),
  ]
  const left = {
    events: events.map(({ type, story, data }) => ({
      type,
      story,
      data: normalized(data as unknown as JsonObject, 'tool' in data && data.tool === 'run_command'),
    })),
    messages: await Promise.all(laneNames.map(async (lane) => (await records.messages(lane)).length)),
    contextFiles: (await records.contextFiles(run, 'task')).map(({ n, milestone }) => ({ n, milestone })),
    verifications: (await records.verifications(run)).map(({ status }) => status),
    totals: await records.totals(run),
    isIdle: await records.isIdle(run),
    branches: await fixture.git('branch', '--list', 'drydock/*'),
    files: await fixture.git('ls-tree', '-r', '--name-only', 'drydock/say-new'),
    value: await fixture.git('show', 'drydock/say-new:value.txt'),
    userTree: await fixture.git('status', '--porcelain'),
  }
  await records.close()
  return left
}

function normalized(value: unknown, interruptible: boolean): unknown {
  const text = JSON.stringify(value, (key, field) => (interruptible && key === 'ok' ? undefined : field))
  return JSON.parse(
    text
      .replace(/run_\d{8}_\d{6}_\w{6}/g, 'run_id')
      .replace(/\b[0-9a-f]{7,40}\b/g, 'sha')
      .replace(/ in [\d.]+ s/g, ''),
  )
}

/** Number of times that the one command with an effect ran, by the workspace's own count. */
export async function timesCounted({ fixture }: Story): Promise<number> {
  const text = (await fixture.inSlot('coder-001', 'count.txt')) ?? ''
  return text.split('\n').filter(Boolean).length
}

/** Processes that still see the story's workspaces: sandboxes that outlived their owner. */
export const survivors = ({ fixture }: Story): readonly string[] => sandboxProcesses(fixture.folder)
