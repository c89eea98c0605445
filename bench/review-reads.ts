import { setTimeout as delay } from 'node:timers/promises'
import { openDrydock } from '../src/compose.ts'
import type { Files } from '../src/ports/files.ts'
import type { MirrorReads } from '../src/ports/history.ts'
import { createArchitectSandbox, insideMirror } from '../src/workflow/architect/architect-sandbox.ts'
import { createSandboxes } from '../src/workflow/lane/sandboxes.ts'
import type { Fixture } from '../test/scenarios/world/fixture.ts'
import type { GroupFigures } from './benchmarks.ts'
import { now } from './now.ts'
import { filesOfLargeRepository, moduleFile } from './repository.ts'
import { quantile } from './statistics.ts'

const workspaces = 10
const writers = 4
const reads = 200
/** Pause between two writes of an editor: far shorter than any model needs. */
const pauseMs = 50

/**
 * Measures the architect's reads in ten workspaces of a large repository, one call after the other
 * as in a lane, while four editors write in theirs.
 */
export async function measureReviewReads(fixture: Fixture): Promise<GroupFigures> {
  const env = { ...fixture.env, DRYDOCK_HOME: `${fixture.folder}/review-reads` }
  const drydock = await openDrydock({ directory: fixture.repo, env })
  const signal = new AbortController().signal
  const slots = Array.from({ length: workspaces }, (_, i) => `coder-${String(i + 1).padStart(3, '0')}`)
  const { sandbox, history, workTrees, userRepository, state } = drydock
  await workTrees.initialize(slots)
  await userRepository.updateMirror(signal)
  const { sha } = await userRepository.target(null)
  for (const slot of slots) await workTrees.prepare({ slot, tip: sha }, signal)
  const architect = createArchitectSandbox({ sandbox, workTrees, slots, mirror: `${state}/mirror.git` })
  const editors = createSandboxes(sandbox, workTrees)
  try {
    await architect.start(signal)
    const stopped = new AbortController()
    const writing = slots.slice(0, writers).map(async (slot) => {
      const parts = { layers: [], submodules: [] }
      const asked = { folder: workTrees.path(slot), access: 'write', readOnlyPaths: [], parts, lane: slot } as const
      const session = await editors.session(asked, signal)
      for (let n = 0; !stopped.signal.aborted; n += 1) {
        const base64 = Buffer.from(`export const edit = ${n}\n`).toString('base64')
        await session.request({ op: 'write', path: `src/edit-${n}.ts`, base64, before: null }, signal)
        await delay(pauseMs)
      }
    })
    const inSlots = await readAll(slots, (slot) => architect.workspace(slot, signal), signal)
    const read = await architect.git(signal)
    if (read === null) throw new Error('the architect’s sandbox has no git')
    const changed = await commitOfEdits(fixture, sha)
    await userRepository.updateMirror(signal)
    const inside = await ofCommits(history.inside(insideMirror, read), { slots, sha, changed }, signal)
    const outside = await ofCommits(history, { slots, sha, changed }, signal)
    const times = {
      ...figures('review', '', inSlots),
      ...figures('of a commit', '', inside.files),
      ...figures('of a commit', ' by the git of the machine', outside.files),
      'review, get_diff, p99': inside.diff,
      'review, get_diff by the git of the machine, p99': outside.diff,
    }
    stopped.abort()
    await Promise.all(writing)
    return times
  } finally {
    await Promise.all([architect.close(), editors.closeAll()])
  }
}

interface Commits {
  readonly slots: readonly string[]
  readonly sha: string
  /** The commit of a story that changed a hundred files. */
  readonly changed: string
}

/** Measures the architect's reads without `coder_id`, and a story's diff. */
async function ofCommits(mirror: MirrorReads, { slots, sha, changed }: Commits, signal: AbortSignal) {
  const files = await readAll(slots, async () => mirror.committed(sha), signal)
  const diffs: number[] = []
  for (let n = 0; n < reads; n += 1) {
    const asked = { from: sha, to: changed, maxBytes: 48_000 }
    diffs.push(await timed(async () => ({ ok: (await mirror.diff(asked)).text !== '' })))
  }
  return { files, diff: quantile(diffs, 0.99) }
}

async function commitOfEdits(fixture: Fixture, sha: string): Promise<string> {
  const edits = Array.from({ length: 100 }, (_, n) => [moduleFile(n * 47), `export const edited = ${n}\n`] as const)
  await fixture.git('checkout', '-q', '-b', 'edited', sha)
  await fixture.write(Object.fromEntries(edits))
  await fixture.git('commit', '-qam', 'edited')
  const changed = await fixture.git('rev-parse', 'HEAD')
  await fixture.git('checkout', '-q', '-')
  return changed
}

type Times = Readonly<Record<'read' | 'list' | 'search', number[]>>

async function readAll(
  slots: readonly string[],
  open: (slot: string) => Promise<Files>,
  signal: AbortSignal,
): Promise<Times> {
  const times: Record<'read' | 'list' | 'search', number[]> = { read: [], list: [], search: [] }
  for (let n = 0; n < reads; n += 1) {
    const files = await open(slots[n % slots.length] ?? '')
    const number = (n * 23) % filesOfLargeRepository
    times.read.push(await timed(() => files.read(moduleFile(number), 1_048_576, signal)))
    times.list.push(await timed(() => files.list(`src/**/module-*${n % 100}.ts`, 1_000, signal)))
    const wanted = { pattern: `value \\* ${number} \\+ 7$`, glob: 'src/**/*.ts', max: 200 }
    times.search.push(await timed(() => files.search(wanted, signal)))
  }
  return times
}

function figures(what: string, how: string, { read, list, search }: Times): GroupFigures {
  return {
    [`${what}, read_file${how}, p99`]: quantile(read, 0.99),
    [`${what}, list_files${how}, p99`]: quantile(list, 0.99),
    [`${what}, search_files${how}, p99`]: quantile(search, 0.99),
  }
}

async function timed(work: () => Promise<{ readonly ok: boolean }>): Promise<number> {
  const start = now()
  const { ok } = await work()
  if (!ok) throw new Error('a read was refused')
  return now() - start
}
