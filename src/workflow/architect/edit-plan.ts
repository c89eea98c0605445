import type { Command } from '../../domain/command.ts'
import type { EventData } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import { repositoriesOf } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import { changesOf, isNothing, touchedProblems, writtenBy } from '../../domain/story/plan-changes.ts'
import { type PlanProblem, planProblems } from '../../domain/story/plan-problems.ts'
import { inOwnRepository, type PlannedStory } from '../../domain/story/planned-story.ts'
import { type Story, taskOf } from '../../domain/story/story.ts'
import type { Records, Transaction } from '../../ports/store.ts'
import { answerOtherwise, goOn } from '../chat/apply-reply.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { appendResult } from '../run/run-result.ts'
import { moveStory } from '../story/move-story.ts'
import { settleCrew } from '../story/settle-story.ts'
import { askApproval } from './plan-spec.ts'
import { planVersion } from './plan-version.ts'
import { addStory, baseFor } from './start-stories.ts'

type Edit = Extract<Command, { kind: 'plan' }>

/**
 * The phase in which a plan can be edited: a plan that is only shown, one that waits for its
 * approval, or one that is built, as far as its stories are queued and not started. Null otherwise.
 */
export function editableIn({ state, data }: Run): 'shown' | 'approval' | 'building' | null {
  const { request, stories, stoppedIn } = data
  if (request.kind !== 'spec' || stories === null) return null
  if (request.planOnly) return state === 'DONE' ? 'shown' : null
  const working = state === 'PAUSED' ? stoppedIn : state
  return working === 'AWAIT_APPROVAL' ? 'approval' : working === 'MONITORING' ? 'building' : null
}

/** The reasons why other stories cannot replace those of a Run; empty if they can. */
export async function editProblems(
  records: Records,
  run: Run,
  stories: readonly PlannedStory[],
): Promise<readonly PlanProblem[]> {
  const before = run.data.stories ?? []
  const wrong = planProblems(stories, repositoriesOf(run))
  return [...wrong, ...touchedProblems(before, stories, await storiesOf(records, run.id))]
}

/**
 * Replaces the stories of a plan with those of a person, all or none, and appends the result as an
 * event. The version names the plan that the person saw: if the plan has changed since, nothing is
 * replaced.
 */
export async function editPlan(tx: Transaction, deps: DecisionDependencies, edit: Edit): Promise<void> {
  const run = await load(tx, 'run', edit.run)
  const before = run.data.stories ?? []
  const place = editableIn(run)
  if (place === null) return tell(tx, edit, { outcome: 'refused', problems: [`the run is ${run.state}`] })
  if (planVersion(before) !== edit.version) return tell(tx, edit, { outcome: 'outdated' })
  const wanted = inOwnRepository(edit.stories, repositoriesOf(run))
  const problems = await editProblems(tx, run, wanted)
  if (problems.length > 0)
    return tell(tx, edit, { outcome: 'refused', problems: [...new Set(problems.map(({ message }) => message))] })
  const changes = changesOf(before, wanted)
  if (isNothing(changes)) return tell(tx, edit, { outcome: 'edited' })
  const stories = writtenBy(before, wanted, edit.author)
  const planEditors = [...new Set([...(run.data.planEditors ?? []), edit.author])]
  const { added, changed, dropped } = changes
  if (place === 'shown') {
    const answer = stories as unknown as Json
    await tell(tx, edit, { outcome: 'edited', added, changed, dropped })
    return appendResult(tx, await tx.edit(run, { stories, planEditors, answer }))
  }
  await goOn(tx, deps, run.id, async (working) => {
    if (place === 'approval') return showAgain(tx, working, { stories, planEditors }, edit.author)
    const edited = await tx.edit(working, { stories, planEditors })
    await rebuild(tx, deps, edited, changes)
  })
  await tell(tx, edit, { outcome: 'edited', added, changed, dropped })
}

/**
 * A reply to the earlier stories approves nothing: the new ones are shown, and approval is asked
 * for again.
 */
async function showAgain(
  tx: Transaction,
  run: Run,
  data: Required<Pick<Run['data'], 'planEditors'>> & { readonly stories: readonly PlannedStory[] },
  author: string,
): Promise<void> {
  await answerOtherwise(tx, run, `${author} edited the stories.`)
  const escalation = await askApproval(tx, run, data.stories)
  await tx.edit(run, { ...data, escalation })
}

/**
 * Adapts the story machines of a running Run to its new plan; none of the changed stories has
 * started.
 */
async function rebuild(
  tx: Transaction,
  deps: DecisionDependencies,
  run: Run,
  changes: ReturnType<typeof changesOf>,
): Promise<void> {
  const known = new Map((await storiesOf(tx, run.id)).map((story) => [story.story, story]))
  for (const id of changes.dropped) await moveStory(tx, deps.clock, of(known, id), { event: 'dropped' })
  for (const planned of run.data.stories ?? []) {
    if (changes.added.includes(planned.id)) await addStory(tx, run, planned)
    if (!changes.changed.includes(planned.id)) continue
    await tx.edit(of(known, planned.id), { planned, task: taskOf(planned), base: baseFor(run, planned) })
  }
  await settleCrew(tx, deps, run.id)
}

function of(known: ReadonlyMap<string | null, Story>, id: string): Story {
  const story = known.get(id)
  if (story === undefined) throw new Error(`there is no story ${id}`)
  return story
}

async function tell(
  tx: Transaction,
  { run, edit, author }: Edit,
  told: Pick<EventData['plan_edit'], 'outcome'> & Partial<EventData['plan_edit']>,
): Promise<void> {
  const nothing = { added: [], changed: [], dropped: [], problems: [] }
  await tx.appendEvent({ run, story: null, type: 'plan_edit', data: { ...nothing, ...told, edit, by: author } })
}
