import type { Landing } from '../../domain/landing/landing.ts'
import type { Transaction } from '../../ports/store.ts'

export async function appendLanding(tx: Transaction, { id, run, state, data }: Landing): Promise<void> {
  const { goal, verification, result, refusal } = data
  await tx.appendEvent({
    run,
    story: null,
    type: 'landing',
    data: {
      id,
      goal: goal.kind,
      state,
      ...(goal.kind === 'onto' && { branch: goal.branch }),
      ...(verification !== null && { verification }),
      ...(result?.kind === 'onto' && { sha: result.sha }),
      ...(result?.kind === 'change' && { url: result.url }),
      ...(refusal !== null && { code: refusal.code }),
    },
  })
}
