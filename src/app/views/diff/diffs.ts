import type { Diff } from '../../../api/stories.ts'
import type { WorkNow } from '../../../api/views/work.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import { landsTogether, repositoryOf, repositoryResults, runIn } from '../../../domain/run/repositories.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { Installation } from '../../installation.ts'
import type { StateAccess } from '../../state-access.ts'
import { lookUp, namedStory, onlyStoryOf } from '../find/find-work.ts'
import { goneBranch } from '../finish/gone-branches.ts'
import { findRun, type ViewSources } from '../view-sources.ts'
import { checkCommit } from './check-commit.ts'
import type { LiveSnapshots } from './live-snapshot.ts'

/** Commits to compare instead of the default ones. */
export interface CommitPair {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * The changes of a story: of its workspace while its editor works, otherwise of its newest
 * snapshot.
 */
export async function readStoryDiff(
  sources: ViewSources & { readonly live: LiveSnapshots },
  { run: runId, story: id }: { readonly run: string; readonly story: string },
  compared: CommitPair,
): Promise<Diff> {
  const run = await findRun(sources, runId)
  const story = await sources.records.machineOf('story', `${run.id}/${id}`)
  if (story !== null) {
    const seen = runIn(run, repositoryOf(story))
    // If the workspace cannot be read now, shows the newest snapshot instead.
    const sha = compared.to === undefined ? await sources.live(story).catch(() => null) : null
    const ends = sha === null ? endsOf(run, story) : { base: story.data.base, sha }
    const diff = await between(sources, await replaced(sources, seen, { ends, compared }))
    return { ...diff, ...(sha !== null && { live: true }), ...(await workspaceOf(sources, story)) }
  }
  if (run.data.stories?.some((each) => each.id === id)) return between(sources, { base: null, sha: null })
  throw new DrydockError('not_found', `${run.id} has no story "${id}".`, {
    todo: 'The run lists its stories.',
  })
}

/** The workspace's folder, if a person can open it on this machine. */
async function workspaceOf(
  { workTrees, user, you }: ViewSources,
  { state, data }: Story,
): Promise<Pick<Diff, 'workspace'>> {
  // A hub does not reveal its folders.
  if ((await you()) === null) return {}
  if (data.slot === null || endStates.includes(state)) return {}
  if (!(await workTrees.isMade(data.slot))) return {}
  return { workspace: { folder: workTrees.path(data.slot), link: user.dashboard.editor_link } }
}

/** The changes of all merged stories of a spec, or of a task's only story. */
export async function readRunDiff(sources: ViewSources, runId: string, compared: CommitPair): Promise<Diff> {
  const run = await findRun(sources, runId)
  const task = await onlyStoryOf(sources.records, run)
  if (compared.from === undefined && compared.to === undefined) return ofRun(sources, run, task)
  return between(sources, await replaced(sources, run, { ends: endsOf(run, task), compared }))
}

/** The commits to compare, after a check that they belong to the Run. */
async function replaced(
  sources: Pick<ViewSources, 'history'>,
  run: Run,
  { ends, compared: { from, to } }: { readonly ends: Ends; readonly compared: CommitPair },
): Promise<Ends> {
  for (const sha of [from, to]) if (sha !== undefined) await checkCommit(sources, run, sha)
  return { base: from ?? ends.base, sha: to ?? ends.sha }
}

type DiffNow = Diff & Pick<WorkNow, 'run' | 'story' | 'ended'> & { readonly gone?: GoneBranch }

interface WorkView {
  work(named: { readonly id: string | undefined; readonly meant: 'built' }): Promise<WorkNow>
}

/** The changes of the named Run or story, or of the latest Run that builds. */
export async function readDiff(
  drydock: Pick<Installation, 'history' | 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub'>,
  { work }: WorkView,
  id: string | undefined,
): Promise<DiffNow> {
  if (drydock.atHub === null) return diffHere(drydock, id)
  const { run, story, ended } = await work({ id, meant: 'built' })
  const { runDiff, storyDiff } = drydock.atHub.operations()
  return { run, story, ended, ...(await (story === null ? runDiff({ run }) : storyDiff({ run, story }))) }
}

async function diffHere(
  drydock: Pick<Installation, 'history' | 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub'>,
  id: string | undefined,
): Promise<DiffNow> {
  const work = await lookUp(drydock, id)
  const { run, story } = work
  const named = namedStory(work)
  const gone = named === null ? await goneBranch(drydock, run) : undefined
  if (gone?.taken === false && gone.command === null)
    throw new DrydockError('not_found', `The changes of ${run.id} are gone. ${gone.message}`, { todo: gone.todo })
  const said = { run: run.id, story: named?.story ?? null, ended: isEnded(run.state) }
  return { ...said, ...(await ofRun(drydock, run, story)), ...(gone && { gone }) }
}

/**
 * The changes of a Run. For a Run over several repositories, each path begins with its repository's
 * name.
 */
async function ofRun(sources: Pick<ViewSources, 'history'>, run: Run, story: Story | null): Promise<Diff> {
  const own = await between(sources, endsOf(run, story))
  if (story !== null || !landsTogether(run)) return own
  const parts: Diff[] = []
  for (const { name, base, sha } of repositoryResults(run)) {
    const part = await between(sources, { base, sha }, name)
    if (part.diff !== '') parts.push(part)
  }
  const diff = parts.map((part) => part.diff).join('')
  return { base: own.base, sha: parts[0]?.sha ?? own.sha, diff, truncated: parts.some((part) => part.truncated) }
}

type Ends = Pick<Diff, 'base' | 'sha'>

/**
 * The two commits whose difference is shown: for a story its work so far, for a crew all merged
 * stories. For a task, includes the commits of follow-up Runs.
 */
function endsOf(run: Run, story: Story | null): Ends {
  const isFollowed = run.data.policy.result === 'handed_over' && run.data.tip !== null
  if (story !== null && !isFollowed) return { base: story.data.base, sha: story.data.snapshot?.sha ?? null }
  return { base: run.data.base, sha: run.data.tip }
}

async function between({ history }: Pick<ViewSources, 'history'>, { base, sha }: Ends, folder?: string): Promise<Diff> {
  if (base === null || sha === null || base === sha) return { base, sha, diff: '', truncated: false }
  const { text, truncated } = await history.diff({
    from: base,
    to: sha,
    maxBytes: limits.previewBytes,
    ...(folder && { folder }),
  })
  return { base, sha, diff: text, truncated }
}
