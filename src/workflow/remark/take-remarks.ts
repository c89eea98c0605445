import { createHash } from 'node:crypto'
import type { Command } from '../../domain/command.ts'
import type { RemarkData } from '../../domain/remark/remark.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storyId } from '../machines.ts'
import { canHold, postRemark, withRemarks } from './attach-remarks.ts'
import { startFollowUp } from './follow-up.ts'
import { appendRemark, moveRemark } from './move-remark.ts'

type Review = Extract<Command, { kind: 'review' }>

/**
 * Stores a batch of remarks: they hold their story, or a follow-up Run works on them. A key that
 * the Run already has changes nothing.
 */
export async function takeRemarks(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock' | 'scope' | 'slotCaps'>,
  { run: id, story: name, remarks, followUp: promised }: Review,
): Promise<void> {
  const run = await load(tx, 'run', id)
  const story = name === null ? null : await tx.machineOf('story', storyId(id, name))
  for (const given of remarks) {
    const machine = remarkId(id, given.key)
    if ((await tx.machineOf('remark', machine)) !== null) continue
    const finding = `F-${(await tx.machines({ kind: 'remark', run: id })).length + 1}`
    const fate = { followUp: null, commit: null, reply: null, message: null }
    const data = { ...given, ...fate, finding, promised, at: deps.clock.now().toISOString() }
    await takeRemark(tx, { run, story, name, machine, data })
  }
  await startFollowUp(tx, deps, id)
}

interface Taking {
  readonly run: Run
  /** Null if there is no story yet, or if the remark is about the whole Run. */
  readonly story: Story | null
  readonly name: string | null
  readonly machine: string
  readonly data: RemarkData
}

async function takeRemark(tx: Transaction, { run, story, name, machine: id, data }: Taking): Promise<void> {
  const place = { run: run.id, story: name }
  const message = name === null ? null : await postRemark(tx, { ...place, data })
  const remark = await tx.create({ id, kind: 'remark', ...place, data: { ...data, message } }, 'rest')
  await appendRemark(tx, remark)
  if (isEnded(run.state)) {
    const reply = `${run.id} ended ${run.state}, so there is nothing to build on.`
    if (run.state !== 'DONE') await moveRemark(tx, remark, 'refused', { reply })
    return
  }
  const current = story && (await load(tx, 'story', story.id))
  if (current && canHold(current)) await tx.edit(current, { reviews: withRemarks(current.data, [remark]) })
}

/** Derived from the key, so that a repeated request gets the same id. */
function remarkId(run: string, key: string): string {
  return `remark/${run}/${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
}
