import { createHash } from 'node:crypto'
import type { Command } from '../../domain/command.ts'
import type { Remark } from '../../domain/remark/remark.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/** Takes a batch of remarks in. A key that the Run has already changes nothing. */
export async function takeRemarks(
  tx: Transaction,
  { clock }: Pick<WorkflowDependencies, 'clock'>,
  { run, story, remarks, followUp: promised }: Extract<Command, { kind: 'review' }>,
): Promise<void> {
  for (const remark of remarks) {
    const id = `remark/${run}/${createHash('sha256').update(remark.key).digest('hex').slice(0, 24)}`
    if ((await tx.machineOf('remark', id)) !== null) continue
    const finding = `F-${(await tx.machines({ kind: 'remark', run })).length + 1}`
    const fate = { followUp: null, commit: null, reply: null }
    const data = { ...remark, ...fate, finding, promised, at: clock.now().toISOString() }
    await appendRemark(tx, await tx.create({ id, kind: 'remark', run, story, data }, 'rest'))
  }
}

export async function appendRemark(tx: Transaction, { run, story, state, data }: Remark): Promise<void> {
  const { finding: id, key, author, commit, reply } = data
  await tx.appendEvent({ run, story, type: 'remark', data: { id, key, author, state, commit, reply } })
}
