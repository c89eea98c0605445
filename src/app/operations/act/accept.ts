import { actRoutes } from '../../../api/act-routes.ts'
import { acceptNoChange } from '../../../domain/claim.ts'
import type { Command } from '../../../domain/command.ts'
import { firmFindings, type TrackedFinding } from '../../../domain/gate/finding.ts'
import { isSettled, type Remark } from '../../../domain/remark/remark.ts'
import { followedBy, isEnded, type Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { Records } from '../../../ports/store.ts'
import { reading } from '../../reading.ts'
import { usage } from '../../usage.ts'
import { findWork } from '../../views/find/find-work.ts'
import { command } from '../operation.ts'

type Accept = Extract<Command, { kind: 'accept' }>

interface Accepting {
  /** A Run or a story. */
  readonly id: string
  readonly ids: readonly string[]
}

/** DrydockError `bad_usage` if an id is not a finding there, or nothing is left to accept. */
export const accept = command(actRoutes.accept, {
  async run({ drydock, give }, { run, story, findings: ids, reason }) {
    const id = story === undefined ? run : `${run}/${story}`
    const accepted = await reading(drydock, (records) => commandOf(records, { id, ids }))
    return give({ ...accepted, ...(reason !== undefined && { reason }) })
  },
})

async function commandOf(records: Records, { id, ids }: Accepting): Promise<Accept> {
  const { run, story } = await findWork(records, id)
  const about = followedBy(run)?.run ?? run.id
  const open = (await records.machines({ kind: 'remark', run: about })).filter(({ state }) => !isSettled(state))
  const remarks = await remarksCommand(records, { run, about, open, ids })
  if (remarks !== null) return remarks
  if (run.data.policy.reviewer !== null) return acceptOfCrew(records, { run, story, ids })
  if (run.data.request.kind !== 'task' || !hasResult(run))
    throw usage(`${run.id} is not a task that ended with a result.`, `See: drydock status ${run.id}`)
  const found = firmFindings(story?.data.reviews.code.findings ?? []).map((finding) => finding.id)
  const known = [...new Set([...found, ...open.map(({ data }) => data.finding)])]
  checkIds(run.id, run.state === 'NO_CHANGE' ? [...known, acceptNoChange] : known, ids)
  return { kind: 'accept', run: run.id, findings: ids }
}

interface OfRemarks {
  readonly run: Run
  /** The Run that the remarks are about. */
  readonly about: string
  readonly open: readonly Remark[]
  readonly ids: readonly string[]
}

/**
 * Remarks, but not those that hold a story of a crew that is being built. Null for any other
 * findings.
 */
async function remarksCommand(records: Records, { run, about, open, ids }: OfRemarks): Promise<Accept | null> {
  if (!ids.every((id) => open.some(({ data }) => data.finding === id))) return null
  const meant = open.filter(({ data }) => ids.includes(data.finding))
  const workers = await Promise.all(meant.map(({ data }) => records.machineOf('run', data.followUp ?? '')))
  // The result of this Run is told again.
  const ended = workers.findLast((worker) => worker !== null && hasResult(worker)) ?? null
  if (ended !== null) return { kind: 'accept', run: ended.id, findings: ids }
  const commented = about === run.id ? run : await records.machineOf('run', about)
  if (commented === null || isEnded(commented.state)) return { kind: 'accept', run: about, findings: ids }
  const stories = await records.machines({ kind: 'story', run: about })
  const holder = stories.find((story) => findingsOf(story).some(({ id }) => ids.includes(id)))
  if (holder === undefined) return { kind: 'accept', run: about, story: '', findings: ids }
  return commented.data.policy.reviewer !== null
    ? null
    : { kind: 'accept', run: about, story: holder.story ?? '', findings: ids }
}

/** The last task that has a result. DrydockError `bad_usage` where there is none. */
export async function lastTask(records: Records): Promise<Run> {
  const runs = await records.machines({ kind: 'run' })
  const run = runs.findLast((each) => each.data.request.kind === 'task' && hasResult(each))
  if (run !== undefined) return run
  throw usage('No task has ended with a result.', 'For a story: drydock accept <story> <id>…')
}

function hasResult({ state }: Run): boolean {
  return state === 'DONE' || state === 'NO_CHANGE'
}

interface OfCrew {
  readonly run: Run
  /** Null when only the Run was named: then it is the story that has these findings. */
  readonly story: Story | null
  readonly ids: readonly string[]
}

async function acceptOfCrew(records: Records, { run, story: named, ids }: OfCrew): Promise<Accept> {
  const story = named ?? (await storyWith(records, run, ids))
  if (endStates.includes(story.state) && findingsLeft(story).length === 0)
    throw usage(`${story.id} is ${story.state}. It has nothing to accept.`, `See: drydock report ${story.id}`)
  checkIds(
    story.id,
    findingsLeft(story).map(({ id }) => id),
    ids,
  )
  return { kind: 'accept', run: run.id, story: story.story ?? '', findings: ids }
}

async function storyWith(records: Records, run: Run, ids: readonly string[]): Promise<Story> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const open = stories.filter((story) => findingsLeft(story).length > 0)
  const having = open.filter((story) => ids.every((id) => findingsLeft(story).some((finding) => finding.id === id)))
  const [story] = having
  if (story !== undefined && having.length === 1) return story
  const what = having.length === 0 ? `No story of ${run.id} has` : `Several stories of ${run.id} have`
  const known = open.map(
    (each) =>
      `drydock accept ${each.id} ${findingsLeft(each)
        .map((finding) => finding.id)
        .join(' ')}`,
  )
  const todo = known.length === 0 ? 'None has open findings.' : `Possible: ${known.join(', ')}`
  throw usage(`${what} the findings ${ids.join(', ')}.`, todo)
}

function findingsOf({ data: { reviews } }: Story): readonly TrackedFinding[] {
  return Object.values(reviews).flatMap(({ findings }) => findings.filter(({ state }) => state === 'open'))
}

/** Findings that can be accepted; of a merged story, only those of the gate about the whole Run. */
function findingsLeft(story: Story): readonly TrackedFinding[] {
  if (!endStates.includes(story.state)) return findingsOf(story)
  return story.state === 'DONE' ? findingsOf(story).filter(({ by }) => by === 'gate') : []
}

function checkIds(what: string, known: readonly string[], ids: readonly string[]): void {
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length === 0) return
  const todo = known.length === 0 ? 'It has none.' : `Its findings: ${known.join(', ')}`
  throw usage(`${what} has no finding ${unknown.join(', ')}.`, todo)
}
