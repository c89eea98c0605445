import type { Command } from '../../domain/command.ts'
import { isLanding } from '../../domain/landing/landing.ts'
import type { Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'
import { appendLanding } from './append-landing.ts'

/** Allows one landing at a time for each Run: a second request at the same moment is dropped. */
export async function requestLanding(
  tx: Transaction,
  { run: id, landing, goal, at, anyway }: Extract<Command, { kind: 'land' }>,
): Promise<void> {
  const run = await load(tx, 'run', id)
  const landings = await tx.machines({ kind: 'landing', run: run.id })
  if (landings.some(isLanding)) return
  const data = { goal, at, ...(anyway && { anyway }), way: null, verification: null, result: null, refusal: null }
  await appendLanding(tx, await tx.create({ id: landing, kind: 'landing', run: id, story: null, data }, 'queue'))
}
