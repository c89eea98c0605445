import type { Landing } from '../../../api/finish.ts'
import type { Landing as Stored } from '../../../domain/landing/landing.ts'
import type { Records } from '../../../ports/store.ts'
import { readOutcome } from '../../../workflow/run/read-outcome.ts'

/** Landings of a Run, newest first. Requested landings that have not begun come before them. */
export async function readLandings(records: Records, run: string): Promise<Landing[]> {
  const stored = await records.machines({ kind: 'landing', run })
  const known = await Promise.all(stored.toReversed().map((landing) => toLanding(records, landing)))
  const ids = new Set(known.map(({ id }) => id))
  const pending = (await records.pendingCommands()).flatMap(({ command }): readonly Landing[] => {
    if (command.kind !== 'land' || command.run !== run || ids.has(command.landing)) return []
    const { landing: id, goal, at } = command
    const branch = goal.kind === 'onto' ? goal.branch : null
    const nothing = { verification: null, result: null, refusal: null }
    return [{ id, goal: goal.kind, branch, state: 'REQUESTED', at, ...nothing }]
  })
  return [...pending, ...known]
}

async function toLanding(records: Records, { id, state, data }: Stored): Promise<Landing> {
  const { goal, at, verification, result, refusal } = data
  return {
    id,
    goal: goal.kind,
    state,
    at,
    branch: goal.kind === 'onto' ? goal.branch : null,
    verification: verification === null ? null : await verificationNow(records, verification),
    result: result && {
      sha: result.kind === 'onto' ? result.sha : null,
      moved: result.kind === 'onto' ? result.moved : null,
      url: result.kind === 'change' ? result.url : null,
      number: result.kind === 'change' ? result.number : null,
      opened: result.kind === 'change' ? result.opened : null,
      files: result.kind === 'apply' ? result.files.length : null,
      problem: result.kind === 'change' ? result.problem : null,
    },
    refusal: refusal && { ...refusal, findings: [...refusal.findings] },
  }
}

async function verificationNow(records: Records, run: string): Promise<NonNullable<Landing['verification']>> {
  const found = await records.machineOf('run', run)
  if (found === null) return { run, state: 'WAITING', label: 'It begins.' }
  const { code, sentence } = await readOutcome(records, found, { isWorkedOn: true })
  return { run, state: code === 'WORKING' || code === 'QUEUED' ? found.state : code, label: sentence }
}
