import { isSettled } from '../../../domain/remark/remark.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import { type Outcome, outcomeOfHeld } from '../../../domain/run/outcome.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { followedBy, type Run } from '../../../domain/run/run.ts'
import type { Records } from '../../../ports/store.ts'
import { readOutcome } from '../../../workflow/run/read-outcome.ts'
import { holdersIn, whoHolds } from '../../text/holds-text.ts'
import { readChangeOf } from '../change-of-run.ts'
import { outcomeWith } from './gone-branches.ts'
import { type Hold, readHolds } from './holds.ts'
import { standing, toLanded } from './standing.ts'

/** The verdict on a Run in every view: its outcome, its holders, and the place where it landed. */
export interface Verdict extends Outcome {
  /** Names the holders, as "1 comment of Ada"; null for none. */
  readonly heldBy: string | null
}

interface Looking {
  readonly isWorkedOn: boolean
  /** The fate of a deleted branch, if the caller has looked it up. */
  readonly gone?: GoneBranch | undefined
}

/** Reads verdicts about several Runs. Shared rows are read once. */
export interface VerdictReader {
  verdict(run: Run, looking: Looking): Promise<Verdict>
  /** Everything that holds the Run's result; empty for a Run without a result. */
  holds(run: Run): Promise<readonly Hold[]>
}

/** `you` is the name of the reader; null if many may read. */
export function verdictReader(records: Records, you: string | null): VerdictReader {
  const read = { told: null as Promise<ReadonlySet<string>> | null }
  const told = () => {
    read.told ??= spokenOf(records)
    return read.told
  }
  const holdsOf = async (run: Run) => readHolds(records, run, await records.machines({ kind: 'story', run: run.id }))
  return {
    async verdict(run, { isWorkedOn, gone }) {
      const outcome = outcomeWith(gone, await readOutcome(records, run, { isWorkedOn }))
      if (!handsOver(run)) return { ...outcome, heldBy: null }
      const mayBeHeld = mayHaveFindings.includes(outcome.code) || (await told()).has(run.id)
      const holds = mayBeHeld ? await holdsOf(run) : []
      if (holds.length > 0) return heldVerdict(outcome, holds, you)
      const landings = await records.machines({ kind: 'landing', run: run.id, states: ['LANDED'] })
      const stands = standing({
        change: await readChangeOf(records, run),
        landings: landings.toReversed().map(toLanded),
      })
      return { ...outcome, ...(stands !== null && outcome.code === 'DONE' && { label: stands }), heldBy: null }
    },
    holds: async (run) => (handsOver(run) ? holdsOf(run) : []),
  }
}

/** The verdict on one Run. */
export function readVerdict(
  records: Records,
  run: Run,
  { you, ...looking }: Looking & { readonly you: string | null },
): Promise<Verdict> {
  return verdictReader(records, you).verdict(run, looking)
}

/** Outcomes that may leave findings of the gate open. */
const mayHaveFindings: readonly Outcome['code'][] = ['FINDINGS', 'SKIPPED', 'NOT_APPLIED']

/** True for a Run with a branch of its own; a follow-up adds to the branch of another Run. */
function handsOver(run: Run): boolean {
  return run.state === 'DONE' && publishedBranch(run) !== null && followedBy(run) === null
}

/** Ids of the Runs that have open comments or follow-ups. */
async function spokenOf(records: Records): Promise<ReadonlySet<string>> {
  const pending = await records.pendingCommands()
  const remarks = await records.machines({ kind: 'remark' })
  const runs = await records.machines({ kind: 'run' })
  return new Set([
    ...pending.flatMap(({ command }) => (command.kind === 'review' ? [command.run] : [])),
    ...remarks.filter(({ state }) => !isSettled(state)).map(({ run }) => run),
    ...runs.flatMap((run) => followedBy(run)?.run ?? []),
  ])
}

function heldVerdict(outcome: Outcome, holds: readonly Hold[], you: string | null): Verdict {
  const heldBy = whoHolds(holds, you)
  const isPlain = outcome.code === 'DONE' || outcome.code === 'FINDINGS'
  // The sentence of the outcome already counts the findings.
  if (holds.every(({ kind }) => kind === 'finding') && outcome.code === 'FINDINGS') return { ...outcome, heldBy }
  if (!isPlain) return { ...outcome, sentence: `${outcome.sentence} It is held by ${heldBy}.`, heldBy }
  return { ...outcomeOfHeld(`Built, and held by ${heldBy}.`, `Held by ${holdersIn(holds)}`), heldBy }
}
