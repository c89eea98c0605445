import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Snapshot, SnapshotResult, Workspaces } from '../../ports/workspace.ts'
import type { Git, GitOptions, GitOutput } from './git.ts'
import { ignoredPaths } from './ignored-paths.ts'
import type { Layout } from './layout.ts'
import type { Lock } from './lock.ts'
import { lookAround, type Sight } from './look-around.ts'
import type { Mirror } from './mirror.ts'
import { removeLocks, settle } from './move-work-tree.ts'
import { shownPath, terminated } from './raw-path.ts'
import { objectId } from './revision.ts'
import { setAside } from './set-aside.ts'
import { slotWorkTree } from './slot.ts'

type Input = Parameters<Workspaces['snapshot']>[0]
type Run = (args: readonly string[], options?: Pick<GitOptions, 'input' | 'exits'>) => Promise<GitOutput>

/**
 * See Workspaces.snapshot. The tree follows from the parent and the files alone: the index is set back to the parent each time, so
 * that what an earlier snapshot held does not count as tracked.
 */
export async function snapshot(
  parts: { layout: Layout; git: Git; lock: Lock; mirror: Mirror },
  input: Input,
  signal: AbortSignal,
): Promise<SnapshotResult> {
  return parts.lock(`slot-${input.slot}`, signal, async (spawned) => {
    const place = slotWorkTree(parts.layout, input.slot)
    const { gitDir, workTree } = place
    const run: Run = (args, options) => parts.git(args, { ...options, gitDir, workTree, signal, spawned })
    await removeLocks(gitDir)
    const sight = await lookAround(place, signal)
    const inspected = (paths: readonly string[]) => ignoredPaths(parts.git, { gitDir, workTree, signal }, paths)
    const refused = await refusedFiles(sight, inspected)
    if (input.setAside)
      await setAside(workTree, join(parts.layout.aside, input.ref), [...refused.blocking, ...refused.nested])
    else if (refused.blocking.length + refused.nested.length > 0) return { ok: false, reason: refusal(refused) }

    if (sight.touched === null) await rm(join(gitDir, 'index'), { force: true })
    await run(['read-tree', '--reset', input.parent])
    await distrust(run, sight.touched ?? [])
    await settle(place)
    const problem = await addAll(run)
    if (problem !== null && input.setAside) {
      const everything = (await readdir(workTree, 'latin1')).filter((name) => name !== '.git')
      await setAside(workTree, join(parts.layout.aside, input.ref, 'all'), everything)
    }
    if (problem !== null) return { ok: false, reason: problem }
    const tree = objectId((await run(['write-tree'])).stdout)
    return { ok: true, snapshot: await keep({ run, mirror: parts.mirror }, input, tree) }
  })
}

type Refused = Pick<Sight, 'nested' | 'blocking'>

/** What git must not look at. While a file blocks it, git cannot say either what it ignores. */
async function refusedFiles(
  { nested, blocking }: Sight,
  ignored: (paths: readonly string[]) => Promise<readonly string[]>,
): Promise<Refused> {
  if (blocking.length > 0) return { nested, blocking }
  const harmless = new Set(await ignored(nested.map((path) => dirname(path))))
  return { nested: nested.filter((path) => !harmless.has(dirname(path))), blocking }
}

function refusal({ nested, blocking }: Refused): string {
  if (blocking.length > 0) return `${shown(blocking)} is not a regular file: remove it`
  return `a git repository inside the workspace cannot be part of the change: remove ${shown(nested)}`
}

function shown(paths: readonly string[]): string {
  const names = paths.slice(0, 3).map((path) => JSON.stringify(shownPath(path)))
  return names.join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '')
}

/** Makes git read these files again, whatever their times and sizes say. */
async function distrust(run: Run, touched: readonly string[]) {
  if (touched.length === 0) return
  const changed = new Set(touched)
  const entries = (await run(['ls-files', '-z', '--stage'])).stdout.toString('latin1').split('\0')
  const doubted = entries.filter((entry) => changed.has(entry.slice(entry.indexOf('\t') + 1)))
  const input = Buffer.from(terminated(doubted), 'latin1')
  if (doubted.length > 0) await run(['update-index', '-z', '--index-info'], { input })
}

/** Null, or what an agent has done that git will not take. */
async function addAll(run: Run): Promise<string | null> {
  try {
    await run(['add', '--all', '.'])
    return null
  } catch (error) {
    const refused =
      /invalid path|failed to encode|BOM is (required|prohibited)|Permission denied|does not have a commit checked out/
    if (error instanceof DrydockError && error.code === 'git_failed' && refused.test(error.message))
      return error.message
    throw error
  }
}

async function keep({ run, mirror }: { run: Run; mirror: Mirror }, input: Input, tree: string): Promise<Snapshot> {
  const { ref, last, parent, message, at } = input
  for (const revision of last === null ? [ref] : [ref, last]) {
    const { stdout } = await run(['log', '-1', '--format=%H %T %P', revision, '--'], { exits: [128] })
    const [sha, itsTree, ...parents] = stdout.toString().trim().split(' ')
    if (sha === undefined || itsTree !== tree || parents.join() !== parent) continue
    if (revision !== ref) await mirror.keep(ref, sha)
    return { sha, tree }
  }
  const sha = await mirror.commit({ tree, parent, message, at })
  await mirror.keep(ref, sha)
  return { sha, tree }
}
