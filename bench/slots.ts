import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Drydock } from '../src/app/drydock.ts'
import { openDrydock } from '../src/compose.ts'
import { listing } from '../test/adapters/git/git-world.ts'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import type { GroupFigures } from './benchmarks.ts'
import { now } from './now.ts'
import { filesOfLargeRepository, moduleFile } from './repository.ts'
import { median } from './statistics.ts'

const slot = 'coder-001'
const signal = AbortSignal.timeout(300_000)

/**
 * Measures the setup of a slot for a story on a large repository: from nothing, then after another
 * story's work.
 */
export async function measureSlots(fixture: Fixture): Promise<GroupFigures> {
  const first: number[] = []
  const again: number[] = []
  const equal: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const drydock = await openDrydock({
      directory: fixture.repo,
      env: { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, `slots-${round}`) },
    })
    first.push(await timed(() => makeFirst(drydock)))
    for (let story = 0; story < 3; story += 1) {
      await workLikeAnAgent(drydock.workTrees.path(slot), story)
      const { sha: tip } = await drydock.userRepository.target(null)
      again.push(await timed(() => drydock.workTrees.prepare({ slot, tip }, signal)))
    }
    equal.push(await shareEqualToClone(fixture, drydock.workTrees.path(slot), round))
    await rm(drydock.state, { recursive: true, force: true })
  }
  return {
    'slot made ready, first time': median(first),
    'slot made ready, again': median(again),
    'files equal to a fresh clone': Math.min(...equal),
  }
}

/** Does everything that a first task on a repository needs, mirror included. */
async function makeFirst({ workTrees, userRepository }: Drydock): Promise<void> {
  await workTrees.initialize([slot])
  await userRepository.updateMirror(signal)
  const { sha: tip } = await userRepository.target(null)
  await workTrees.prepare({ slot, tip }, signal)
}

/** Changes, removes and adds files, both tracked and ignored ones. */
async function workLikeAnAgent(workspace: string, story: number): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    const number = (story * 100 + i * 7) % filesOfLargeRepository
    await writeFile(join(workspace, moduleFile(number)), `export const changed = ${i}\n`)
    await rm(join(workspace, moduleFile((number + 3) % filesOfLargeRepository)), { force: true })
    await writeFile(join(workspace, `src/new-${i}.ts`), 'export const added = true\n')
  }
  const hideChanges = 'mkdir -p build && seq 200 | xargs -I{} touch build/{}.js && git add -A && git commit -qm work'
  await promisify(execFile)('sh', ['-c', hideChanges], { cwd: workspace })
}

async function shareEqualToClone({ git, folder }: Fixture, workspace: string, round: number): Promise<number> {
  const clone = join(folder, `clone-${round}`)
  await git('clone', '--quiet', '--no-hardlinks', '.', clone)
  const expected = Object.entries(listing(clone))
  const found = listing(workspace)
  const equal = expected.filter(([path, content]) => found[path] === content).length
  const extra = Object.keys(found).length - expected.length
  await rm(clone, { recursive: true, force: true })
  return (100 * (equal - Math.max(0, extra))) / expected.length
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = now()
  await work()
  return now() - start
}
