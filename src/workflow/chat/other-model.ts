import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import type { AnyMachine } from '../../domain/machines.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Transaction } from '../../ports/store.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storyOf } from '../machines.ts'
import { answer, answerOtherwise, goOn } from './apply-reply.ts'

/**
 * Continues lanes that wait for a human's answer about their model, after somebody has chosen other
 * models for the Run. `before` is the Run with its old models.
 */
export async function goOnWithOther(tx: Transaction, deps: DecisionDependencies, before: Run): Promise<void> {
  const { models } = (await load(tx, 'run', before.id)).data
  if (models === null || isEnded(before.state)) return
  for (const lane of await tx.machines({ kind: 'lane', run: before.id, states: ['ASKING'] })) {
    const agent = agentOf(lane.data.role)
    const isOther = models[agent] !== before.data.models?.[agent]
    if (!lane.data.isAskedAbout || !isOther) continue
    const asker = await askerOf(tx, lane)
    const asked = asker.data.escalation
    const message = asked === null ? null : await tx.chatMessage(asked)
    if (message === null) continue
    const text = `Another model goes on here: ${models[agent]}.`
    await answerOtherwise(tx, asker, text)
    await goOn(tx, deps, before.id, async (run) => {
      await answer(tx, deps, { run, message, text })
    })
  }
}

/** The machine that waits for both the lane and a human. */
async function askerOf(
  tx: Transaction,
  lane: Lane,
): Promise<Extract<AnyMachine, { kind: 'run' | 'story' | 'request' }>> {
  if (lane.data.parent === lane.run) return load(tx, 'run', lane.run)
  if (agentOf(lane.data.role) === 'architect') return load(tx, 'request', lane.data.parent)
  const story = await storyOf(tx, lane)
  if (story === null) throw new Error(`lane ${lane.id} has no story`)
  return story
}
