import type { NewRemark, Remark, RemarkState } from '../../domain/remark/remark.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import type { Records } from '../../ports/store.ts'

/** A remark as it is now. */
export interface RemarkNow extends NewRemark {
  /** Its id as a finding, such as `F-3`; null while nobody has taken it in. */
  readonly id: string | null
  readonly run: string
  readonly story: string | null
  readonly state: RemarkState
  /** The verified commit of the run branch that settles it. */
  readonly commit: string | null
  /** The answer of who worked on it, or why nothing came of it. */
  readonly reply: string | null
  /** The Run that works, or has worked, on it after its own had ended. */
  readonly followUp: { readonly run: string; readonly state: RunState } | null
}

/** The remarks about a Run in the order in which they came, also those not yet taken in. */
export async function readRemarks(records: Records, run: string): Promise<readonly RemarkNow[]> {
  const stored = await records.machines({ kind: 'remark', run })
  const known = await Promise.all(stored.map((remark) => remarkNow(records, remark)))
  const keys = new Set(known.map(({ key }) => key))
  const waiting = (await records.pendingCommands()).flatMap(({ command }) =>
    command.kind === 'review' && command.run === run
      ? command.remarks.map((remark) => ({ ...remark, story: command.story }))
      : [],
  )
  const fresh = waiting.filter(({ key }) => !keys.has(key) && keys.add(key))
  const none = { commit: null, reply: null, followUp: null }
  return [...known, ...fresh.map((remark): RemarkNow => ({ ...remark, ...none, id: null, run, state: 'OPEN' }))]
}

async function remarkNow(records: Records, { run, story, state, data }: Remark): Promise<RemarkNow> {
  const { finding: id, key, author, source, place, text, commit, reply } = data
  const work = data.followUp === null ? null : await records.machineOf('run', data.followUp)
  const followUp = work === null ? null : { run: work.id, state: work.state }
  return { id, key, author, source, place, text, run, story, state, commit, reply, followUp }
}
