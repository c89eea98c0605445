import { limits } from '../../../domain/limits.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import { type Outcome, outcomeOfResult } from '../../../domain/run/outcome.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { landsTogether } from '../../../domain/run/repositories.ts'
import type { Result } from '../../../domain/run/result.ts'
import type { Run } from '../../../domain/run/run.ts'
import { verifiedCommit } from '../../../domain/run/verified-commit.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource, StateAccess } from '../../state-access.ts'
import { shellWord } from '../../text/shell-word.ts'
import { readChangeOf } from '../change-of-run.ts'

/** Results of Runs, with the branches that they are on. */
type Results = Pick<Installation, 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub'>

/** The Runs whose result was on a branch that somebody has deleted since. */
export async function goneBranches(drydock: Results, runs: readonly Run[]): Promise<ReadonlyMap<string, GoneBranch>> {
  const told = new Map<string, GoneBranch>()
  for (const each of await handedAndGone(drydock, runs)) told.set(each.run.id, await describeGone(drydock, each))
  return told
}

async function handedAndGone(
  drydock: Pick<Installation, 'userRepository'>,
  runs: readonly Run[],
): Promise<readonly HandedBranch[]> {
  const handed = runs.flatMap((run) => {
    const branch = run.state === 'DONE' && !landsTogether(run) ? publishedBranch(run) : null
    return branch === null ? [] : [{ run, branch }]
  })
  if (handed.length === 0) return []
  const there = new Set(await drydock.userRepository.branches(''))
  return handed.filter(({ branch }) => !there.has(branch))
}

/** The deleted branches for a reader; only this machine's user has the branches here. */
export async function goneFor(
  { by }: { readonly by: string | null },
  drydock: Results,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, GoneBranch>> {
  // A hub's result is brought to the clone of who asks when it is told.
  return by === null ? goneBranches(drydock, runs) : new Map()
}

/** The deleted branch of one Run; undefined while the branch exists. */
export async function goneBranch(drydock: Results, run: Run): Promise<GoneBranch | undefined> {
  return (await goneBranches(drydock, [run])).get(run.id)
}

/**
 * Like `goneBranches`, but cached for pages that poll. Looks only at the first Runs, and looks up
 * the fate of a deleted branch only from time to time. A branch that exists again is seen at once.
 */
export function rememberGoneBranches(
  drydock: Pick<Installation, 'clock' | 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub'>,
): (runs: readonly Run[]) => ReturnType<typeof goneBranches> {
  const known = new Map<string, { readonly told: GoneBranch; readonly at: number }>()
  const { goneBranches: most, goneBranchMs } = limits.dashboard
  return async (runs) => {
    const handed = await handedAndGone(drydock, runs.filter(({ state }) => state === 'DONE').slice(0, most))
    const now = drydock.clock.now().getTime()
    const told = new Map<string, GoneBranch>()
    for (const each of handed) {
      const before = known.get(each.run.id)
      const isFresh = before !== undefined && now - before.at < goneBranchMs
      const found = isFresh ? before : { told: await describeGone(drydock, each), at: now }
      known.set(each.run.id, found)
      told.set(each.run.id, found.told)
    }
    return told
  }
}

/** The outcome of a Run whose branch was deleted. Unchanged if its commit is in use elsewhere. */
export function outcomeWith(gone: GoneBranch | undefined, outcome: Outcome): Outcome {
  if (gone === undefined || gone.taken) return outcome
  return outcomeOfResult({ status: 'DONE', kind: 'task', stories: [], gone })
}

/** Adds to a result whether its branch still exists. */
export async function resultWithBranch(drydock: Results, id: string, result: Result): Promise<Result> {
  if (drydock.atHub !== null || result.status !== 'DONE' || result.branch === null) return result
  const run = await reading(drydock, (records) => records.machineOf('run', id))
  const gone = run === null ? undefined : await goneBranch(drydock, run)
  return gone === undefined ? result : { ...result, gone }
}

interface HandedBranch {
  readonly run: Run
  readonly branch: string
}

async function describeGone(
  drydock: Pick<Installation, 'userRepository'> & RecordSource,
  { run, branch }: HandedBranch,
): Promise<GoneBranch> {
  const { stories, landings, change } = await reading(drydock, async (records) => ({
    stories: await records.machines({ kind: 'story', run: run.id }),
    landings: await records.machines({ kind: 'landing', run: run.id }),
    change: await readChangeOf(records, run),
  }))
  const sha = verifiedCommit(run, stories)
  const commit = sha?.slice(0, 12)
  const show = `git show ${commit}`
  const isLanded = change?.state === 'merged' || landings.some(({ state }) => state === 'LANDED')
  const holder = sha === null ? null : await drydock.userRepository.holderOf(sha)
  if (holder !== null || isLanded) {
    const where = holder === null ? 'it was landed before' : `its commit ${commit} is in ${holder}`
    const told = { message: `The branch ${branch} was deleted; ${where}.`, todo: `See it: ${show}`, command: show }
    return { taken: true, ...told }
  }
  if (sha === null || !(await isThere(drydock, sha)))
    return {
      taken: false,
      message: `The branch ${branch} was deleted${sha === null ? '' : `, and its commit ${commit} no longer exists here`}.`,
      todo: stories.some((story) => nameOf(story) !== null) ? 'Build it again with --again.' : 'Start the task again.',
      command: null,
    }
  const command = `git branch ${shellWord(branch)} ${sha}`
  const message = `The branch ${branch} was deleted. Its commit ${commit} still exists.`
  return { taken: false, message, todo: `Get it back: ${command}`, command }
}

/**
 * True if the user's repository has the commit. Fetches the commit back if only the mirror has it.
 */
async function isThere({ userRepository }: Pick<Installation, 'userRepository'>, sha: string): Promise<boolean> {
  const has = () =>
    userRepository.commitOf(sha).then(
      () => true,
      () => false,
    )
  if (await has()) return true
  await userRepository.takeBack(sha).catch(() => {})
  return has()
}
