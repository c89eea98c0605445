import type { Command } from '../domain/command.ts'
import { endedRunStates } from '../domain/run-machine.ts'
import type { Transaction } from '../ports/store.ts'
import { load, storiesOf } from './machines.ts'
import { appendResult } from './run-result.ts'

/** The result of a task is told anew, with the findings that a human now takes as they are. Ids that are not open there change nothing. */
export async function acceptFindings(
  tx: Transaction,
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
  await tx.updateMachine(story, { state: story.state, data })
  await tx.appendEvent({ run: id, story: story.story, type: 'accepted', data: { findings: [...ids] } })
  await appendResult(tx, run)
}
