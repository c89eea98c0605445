import { join } from 'node:path'
import { createSystemClock } from '../src/adapters/clock/system-clock.ts'
import { createSqliteStore } from '../src/adapters/store/sqlite-store.ts'
import { openDrydock } from '../src/compose.ts'
import { call, type Fixture, plan } from '../test/scenarios/world/fixture.ts'
import type { GroupFigures } from './benchmarks.ts'
import { type Environment, environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { createRepository, moduleFile } from './repository.ts'
import { median } from './statistics.ts'

const rounds = 7
const events = 10_000

/**
 * Kills a task repeatedly while its model thinks, and measures how long the next process takes to
 * ask the model again.
 */
export async function measureRecovery(model: ModelProcess): Promise<GroupFigures> {
  const fixture = await createRepository(100)
  const env = environmentOf(fixture, model.origin)
  try {
    const reads = [1, 2, 3].map((number) => call('read_file', { path: moduleFile(number) }))
    const { hanging } = await model.play([plan(), ...reads])
    const first = startDrydock(taskArguments(fixture), env)
    await Promise.race([hanging, first.done])
    await first.kill()
    await growLog(fixture, env)
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { first: asked } = await model.play([])
      const resumed = startDrydock(['resume', '--json', '--repo', fixture.repo], env)
      const done = resumed.done.then(() => Promise.reject(new Error('the resumed task did not ask its model')))
      times.push((await Promise.race([asked, done])) - resumed.startedAt)
      await resumed.kill()
    }
    return { 'resume after kill -9, 10,000 events': median(times) }
  } finally {
    await fixture.remove()
  }
}

/** Fills the Run's own event log, which every follower has to read. */
async function growLog({ repo }: Fixture, env: Environment): Promise<void> {
  const drydock = await openDrydock({ directory: repo, env })
  const store = await createSqliteStore({ file: join(drydock.state, 'drydock.db'), clock: createSystemClock() })
  const [run] = await store.machines({ kind: 'run' })
  if (run === undefined) throw new Error('there is no run')
  await store.transact(async (tx) => {
    for (let turn = 0; turn < events; turn += 1) {
      const data = { lane: 'editor/task/CODING', turn, tool: 'read_file', ok: true }
      await tx.appendEvent({ run: run.id, story: 'task', type: 'tool', data })
    }
  })
  await store.close()
}
