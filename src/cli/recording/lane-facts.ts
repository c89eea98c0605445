import type { StateReader } from '../../compose.ts'
import type { LaneData } from '../../domain/lane/lane.ts'
import type { ToolCall } from '../../domain/lane/message.ts'
import type { Machine } from '../../domain/machine.ts'
import type { Request } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import type { KnownFacts } from './recorded-input.ts'

/** What was known when a call was made; `done` is the call if it succeeded. */
export type LaneFacts = (at: string, done: ToolCall | null) => KnownFacts

/** What tells which commit and which verification a story was at, at any time. */
export interface RunHistory {
  readonly base: string | null
  readonly slot: string | null
  readonly requests: readonly Request[]
  /** Of changes of stories, by their end. */
  readonly verified: readonly {
    readonly story: string | null
    readonly runId: string
    readonly sha: string
    readonly at: string
  }[]
}

export async function readHistory(records: StateReader, id: string): Promise<RunHistory> {
  const run = (await records.machine(id)) as Run | null
  const machines = (await records.machines({ kind: 'verification', run: id })) as readonly Verification[]
  const ofMerges = new Set(machines.flatMap(({ data }) => (data.merge === null ? [] : [data.runId])))
  const rows = (await records.verifications(id)).filter(({ runId }) => !ofMerges.has(runId))
  return {
    base: run?.data.base ?? null,
    slot: run?.data.slot ?? null,
    requests: (await records.machines({ kind: 'request', run: id })) as readonly Request[],
    verified: rows.map(({ story, runId, commitSha, finishedAt }) => ({ story, runId, sha: commitSha, at: finishedAt })),
  }
}

/**
 * A request speaks of one commit and one coder for all of its lane. An editor or scout works on
 * what was verified last. A `coder_id` that a tool accepted was the right one, also when the story
 * has moved to another slot meanwhile.
 */
export function laneFacts(
  { base, slot, requests, verified }: RunHistory,
  lane: Pick<Machine<string, LaneData>, 'id' | 'story'>,
): LaneFacts {
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
