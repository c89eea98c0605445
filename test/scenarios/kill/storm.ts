import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { randomOf } from '../../random.ts'
import { approve, createCrewFixture, type Lanes, planned, reply, storyPlan, writeFile } from '../world/crew.ts'
import { call } from '../world/fixture.ts'
import { configureUser, type Hook } from '../world/hook.ts'
import type { Story } from './kill.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

/** Number of retries for an ended story: a killed sandbox or git ends a story with INFRA_ERROR. */
const retries = 12

const look = call('list_files', { pattern: '*.txt', coder_id: '${coder_id}' })

/**
 * Stories that each write a file; every fifth one has a review that asks a human, and some pairs
 * conflict.
 */
function stormLanes(names: readonly string[]): Lanes {
  const stories = names.map((id, i) => planned({ id, ...(i % 4 === 3 && { depends_on: [names[i - 3] ?? ''] }) }))
  const lanes: Record<string, readonly object[]> = {
    'architect/SCOPING': [reply('A small repository.')],
    'architect/STORY_GENERATION': [call('submit_stories', { stories })],
  }
  for (const [i, id] of names.entries())
    for (let again = 1; again <= retries; again += 1)
      Object.assign(lanes, storyLanes(id, again === 1 ? id : `${id}@${again}`, i))
  return lanes
}

function storyLanes(id: string, name: string, i: number): Lanes {
  const asks = i % 5 === 4
  const submit = call('submit_change', { summary: `Add ${id}` })
  // The leftovers of a conflict or an interrupted edit: written and submitted again, as often as
  // needed.
  const again = Array.from({ length: 6 }, () => [writeFile('shared.txt', `${id}\n`), submit]).flat()
  const shared = i % 6 === 5 ? [writeFile('shared.txt', `${id}\n`)] : []
  const command = call('run_command', { command: `sleep 0.4; echo ${id}` })
  return {
    [`editor/${name}/PLANNING`]: [look, storyPlan(id)],
    [`architect/REQUEST/plan/${name}/1`]: [approve()],
    [`editor/${name}/CODING`]: [command, command, writeFile(`${id}.txt`, `${id}\n`), ...shared, look, submit, ...again],
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, round) => [
        `architect/REQUEST/code/${name}/${round + 1}`,
        asks && round === 0 ? [look, look, approve()] : [approve()],
      ]),
    ),
  }
}

/**
 * A stored spec of this many stories that has not started. Every question is answered `retry`, and
 * announced to the hook.
 */
export async function storedStorm({
  stories,
  coders,
  hook,
  env = {},
}: {
  readonly stories: number
  readonly coders: number
  readonly hook: Hook
  readonly env?: Readonly<Record<string, string>>
}): Promise<Story & { readonly names: readonly string[] }> {
  const names = Array.from({ length: stories }, (_, i) => `s${String(i + 1).padStart(2, '0')}`)
  const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }
  const fixture = await createCrewFixture({ config, env, files: { 'shared.txt': 'base\n' } })
  await configureUser(fixture, { notify: { webhook: hook.url, on: ['escalation'] } })
  const human = Array.from({ length: 400 }, (_, i) => ({ escalation: i + 1, reply: 'retry' }))
  const model = await fixture.replay(stormLanes(names), { human })
  const drydock = await fixture.open()
  const spec = { text: 'Weather a storm', source: 'text' }
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories: null } as const
  const run = 'weather-a-storm-000000'
  const models = { architect: model, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return { fixture, run, coders, names }
}

export interface Weather {
  readonly blows: number
  /** Pause of a stopped process before it continues. */
  readonly stopMs: number
  readonly seed: number
}

type Blow = 'owner' | 'sandbox' | 'git' | 'stop'

/**
 * Strikes at random moments for this number of blows, then lets the Run end. Returns the counts of
 * the blows.
 */
export async function weather(story: Story, { blows, stopMs, seed }: Weather): Promise<Readonly<Record<Blow, number>>> {
  const random = randomOf(seed)
  const struck = { owner: 0, sandbox: 0, git: 0, stop: 0 }
  let last = ''
  const count = () => Object.values(struck).reduce((sum, n) => sum + n, 0)
  for (let starts = 0; starts < blows * 4 + 40; starts += 1) {
    const owner = start(story)
    const isOver = () => owner.child.exitCode !== null || owner.child.signalCode !== null
    while (!isOver()) {
      if (count() >= blows) await owner.ended
      else await Promise.race([owner.ended, delay(await pause(story, { share: count() / blows, random }))])
      if (isOver() || count() >= blows) continue
      const blow = pick(random)
      if (await strike(blow, { story, owner, stopMs, random })) struck[blow] += 1
    }
    if ((await owner.ended) === 0) return struck
    last = owner.said()
  }
  throw new Error(`it does not end after ${JSON.stringify(struck)}: ${last}`)
}

interface Pacing {
  /** The share of all blows that were struck so far. */
  readonly share: number
  readonly random: () => number
}

/**
 * Milliseconds to the next blow: shorter if the stories are ahead, so that all blows happen before
 * all stories are built.
 */
async function pause({ fixture, run }: Story, { share, random }: Pacing): Promise<number> {
  const records = (await fixture.open()).openRecords()
  const stories = await records.machines({ kind: 'story', run })
  await records.close()
  const built = stories.filter(({ state }) => state === 'DONE').length / Math.max(1, stories.length)
  // The last blows happen while some stories are still unfinished.
  const ahead = built / 0.75 - share
  if (ahead > 0.1) return 50 + random() * 350
  return ahead > 0 ? 100 + random() * 900 : 400 + random() * 3_600
}

interface Owner {
  readonly child: ChildProcess
  /** The exit code; null if a signal ended the process. */
  readonly ended: Promise<number | null>
  said(): string
}

/** A process that continues all unfinished work, or follows the one that does. */
function start({ fixture, coders = 1 }: Story): Owner {
  const args = ['resume', '--json', '--repo', fixture.repo, '--max-coders', String(coders)]
  const child = spawn(bin, args, { env: fixture.env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return { child, said: () => text, ended: once(child, 'close').then(([code]) => code as number | null) }
}

interface Striking {
  readonly story: Story
  readonly owner: Owner
  readonly stopMs: number
  readonly random: () => number
}

/** False if there was nothing to strike. */
async function strike(blow: Blow, { story, owner: { child, ended }, stopMs, random }: Striking): Promise<boolean> {
  switch (blow) {
    case 'owner':
      child.kill('SIGKILL')
      await ended
      return true
    case 'stop': {
      child.kill('SIGSTOP')
      const other = start(story)
      await Promise.race([delay(stopMs), other.ended])
      child.kill('SIGCONT')
      other.child.kill('SIGKILL')
      await other.ended
      return true
    }
    case 'sandbox':
    case 'git': {
      const end = Date.now() + 1_500
      const name = blow === 'git' ? 'git' : 'bwrap'
      while (Date.now() < end && child.exitCode === null) {
        const found = descendants(child.pid ?? 0, name)
        const victim = found[Math.floor(random() * found.length)]
        if (victim !== undefined && killed(victim)) return true
        await delay(2)
      }
      return false
    }
    default:
      throw new Error(`unknown blow ${blow satisfies never}`)
  }
}

function killed(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

/** Descendants of a process with that name. */
function descendants(top: number, name: string): readonly number[] {
  const all = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const [, comm = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? []
        return [{ pid: Number(entry), comm, parent: Number(rest.split(' ')[1]), state: rest[0] }]
      } catch {
        return []
      }
    })
  const below = new Set([top])
  for (let size = 0; size !== below.size; ) {
    size = below.size
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid)
  }
  return all
    .filter(({ pid, comm, state }) => pid !== top && below.has(pid) && comm === name && state !== 'Z')
    .map(({ pid }) => pid)
}

function pick(random: () => number): Blow {
  const at = random()
  return at < 0.5 ? 'owner' : at < 0.7 ? 'sandbox' : at < 0.92 ? 'git' : 'stop'
}
