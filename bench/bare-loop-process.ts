import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import type { WireTurn } from '../test/wire/turn.ts'
import type { ModelProcess, ServerRequest } from './model-process.ts'
import { now } from './now.ts'

const script = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url))

interface BareTask {
  readonly fixture: Fixture
  /** All turns but the final word, which ends the loop. */
  readonly turns: readonly WireTurn[]
  readonly withBodies?: boolean
}

/** Plays the turns in the bare loop, in its own process; returns the loop's requests. */
export function runBareLoop(model: ModelProcess, task: BareTask): Promise<readonly ServerRequest[]> {
  return runLoop(model, task, [script('bare-loop.ts'), model.origin, task.fixture.repo])
}

/**
 * Plays the turns in the loop that stores and sandboxes like Drydock; the rows have a file of their
 * own.
 */
export async function runFloorLoop(model: ModelProcess, task: BareTask): Promise<readonly ServerRequest[]> {
  const folder = await mkdtemp(join(task.fixture.folder, 'floor-'))
  return runLoop(model, task, [script('floor-loop.ts'), model.origin, task.fixture.repo, join(folder, 'rows.db')])
}

async function runLoop(
  model: ModelProcess,
  { fixture, turns, withBodies = true }: BareTask,
  args: readonly string[],
): Promise<readonly ServerRequest[]> {
  const played = [...turns, { text: 'done' }]
  await model.play(played, { withBodies })
  // Compiled code is cached, as for Drydock.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(fixture.folder, 'compiled') }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'close')
  const requests = await model.taken()
  if (code !== 0 || requests.length !== played.length) throw new Error(`${args[0]} ended with ${code}`)
  return requests
}

/** Milliseconds from the start of the bare loop's process to its first request. */
export function bareFirstRequest(model: ModelProcess, fixture: Fixture): Promise<number> {
  return firstRequest(() => runBareLoop(model, { fixture, turns: [] }))
}

/**
 * Milliseconds to the first request of a process that makes the preparations of Drydock, in the
 * state of an earlier task.
 */
export async function floorFirstRequest(model: ModelProcess, fixture: Fixture, home: string): Promise<number> {
  const [state = ''] = globSync(join(home, 'repo-*'))
  const places = ['mirror.git', 'slots/coder-001.git', 'workspaces/coder-001'].map((name) => join(state, name))
  const args = [script('floor-start.ts'), model.origin, fixture.repo, ...places, join(home, 'floor.db')]
  return firstRequest(() => runLoop(model, { fixture, turns: [] }, args))
}

async function firstRequest(runs: () => Promise<readonly ServerRequest[]>): Promise<number> {
  const startedAt = now()
  const [first] = await runs()
  return (first?.at ?? Number.NaN) - startedAt
}
