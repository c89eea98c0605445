import { conversationOf } from '../../src/agents/conversation.ts'
import type { LaneDependencies } from '../../src/agents/lane.ts'
import { freshLane, type Lane, type LaneData } from '../../src/domain/lane/lane.ts'
import { scoutLimits } from '../../src/domain/lane/next-request.ts'
import type { ModelReply, ModelRequest } from '../../src/ports/model.ts'
import { liveWork } from '../live-work.ts'

/** A scout's lane before its next request. */
export function laneOf(more: Partial<LaneData> = {}): Lane {
  const data: LaneData = {
    key: 'scout/codebase/task/1.1',
    role: 'codebase_scout',
    parent: 'query',
    system: 'You look.',
    limits: scoutLimits(),
    ...freshLane,
    ...more,
  }
  return { id: 'run/lane', kind: 'lane', run: 'run', story: null, state: 'ASKING', version: 1, data }
}

/** Dependencies of an asking lane: the model gives one reply and records its requests. */
export function asking(reply: ModelReply, random = 0.5): LaneDependencies & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  return {
    asked,
    live: liveWork(),
    model: {
      id: 'scripted',
      async reply(request) {
        asked.push(request)
        return reply
      },
    },
    clock: { now: () => new Date('2031-01-01T00:00:00Z'), random: () => random },
    redact: (text) => text,
    patience: {
      clock: { now: () => new Date('2031-01-01T00:00:00Z'), random: () => random },
      hasAnswered: async () => true,
      maxWaitMs: 86_400_000,
    },
    conversation: conversationOf(laneOf().data, [{ role: 'user', text: 'Look.' }]),
    contextWindow: null,
    facts: {},
    news: null,
    guides: null,
    readContext: () => Promise.reject(new Error('no tool is run here')),
    editContext: () => Promise.reject(new Error('no tool is run here')),
    toolTimeoutSec: 1,
    started: async () => null,
    start: async () => {},
  }
}

export const says = (text: string, stop: 'end' | 'length' | 'refused' = 'end'): ModelReply => ({
  stop,
  text,
  calls: [],
  raw: null,
  usage: null,
})
