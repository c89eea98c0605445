import { acceptNoChange } from '../domain/claim.ts'
import type { Command } from '../domain/command.ts'
import { endedRunStates } from '../domain/run-machine.ts'
import type { Transaction } from '../ports/store.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { load, storiesOf } from './machines.ts'
import { moveRun } from './move-run.ts'
import { moveStory } from './move-story.ts'
import { appendResult } from './run-result.ts'

/** The result of a task is told anew, with what a human now takes as it is: findings, or that nothing was changed. Ids that are not open there change nothing. */
export async function acceptFindings(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock'>,
  { run: id, findings: ids }: Extract<Command, { kind: 'accept' }>,
): Promise<void> {
  const run = await load(tx, 'run', id)
  const [story] = await storiesOf(tx, id)
  if (story === undefined || run.data.request.kind !== 'task' || !endedRunStates.includes(run.state)) return
  const { reviews } = story.data
  const findings = reviews.code.findings.map((finding) =>
    finding.state === 'open' && ids.includes(finding.id) ? { ...finding, state: 'accepted' as const } : finding,
  )
  const data = { ...story.data, reviews: { ...reviews, code: { ...reviews.code, findings } } }
  const kept = await tx.updateMachine(story, { state: story.state, data })
  await tx.appendEvent({ run: id, story: story.story, type: 'accepted', data: { findings: [...ids] } })
  const isTaken = story.state === 'NO_CHANGE' && run.state === 'NO_CHANGE' && ids.includes(acceptNoChange)
  if (isTaken) await moveStory(tx, deps.clock, kept, { event: 'accepted' })
  await appendResult(tx, isTaken ? await moveRun(tx, run, { event: 'accepted' }) : run)
}
