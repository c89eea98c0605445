import type { Lane } from '../../../domain/lane/lane.ts'
import type { ToolCall } from '../../../domain/lane/message.ts'
import type { Request } from '../../../domain/request/request.ts'
import type { Records } from '../../../ports/store.ts'
import type { KnownFacts } from './recorded-input.ts'

/** The facts known at the time of a call. `done` is the call if it succeeded. */
export type LaneFacts = (at: string, done: ToolCall | null) => KnownFacts

/** The facts from which the commit and verification of a story at any time follow. */
export interface RunHistory {
  readonly base: string | null
  readonly slot: string | null
  readonly requests: readonly Request[]
  /** Verifications of stories' changes, by the time of their end. */
  readonly verified: readonly {
    readonly story: string | null
    readonly runId: string
    readonly sha: string
    readonly at: string
  }[]
}

export async function readHistory(records: Records, id: string): Promise<RunHistory> {
  const run = await records.machineOf('run', id)
  const machines = await records.machines({ kind: 'verification', run: id })
  const ofMerges = new Set(machines.flatMap(({ data }) => (data.merge === null ? [] : [data.runId])))
  const rows = (await records.verifications(id)).filter(({ runId }) => !ofMerges.has(runId))
  return {
    base: run?.data.base ?? null,
    slot: run?.data.slot ?? null,
    requests: await records.machines({ kind: 'request', run: id }),
    verified: rows.map(({ story, runId, commitSha, finishedAt }) => ({ story, runId, sha: commitSha, at: finishedAt })),
  }
}

/**
 * The commit and coder that a lane is about. A request names both for its whole lane. An editor or
 * scout works on the last verified commit. A `coder_id` that a tool accepted was right, even if the
 * story has moved to another slot since.
 */
export function laneFacts({ base, slot, requests, verified }: RunHistory, lane: Pick<Lane, 'id' | 'story'>): LaneFacts {
  const request = requests.find(({ data }) => data.lane === lane.id)
  return (at, done) => {
    const last = verified.findLast((each) => each.story === lane.story && each.at <= at)
    return {
      coder_id: coderIn(done) ?? request?.data.coder ?? slot,
      sha: request?.data.sha ?? last?.sha ?? base,
      run_id: last?.runId ?? null,
    }
  }
}

function coderIn(done: ToolCall | null): string | null {
  const input = done?.input
  const named = typeof input === 'object' && input !== null && 'coder_id' in input ? input.coder_id : null
  return typeof named === 'string' ? named : null
}
