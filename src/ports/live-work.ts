import type { Json } from '../domain/json.ts'
import type { Lane } from '../domain/lane/lane.ts'
import type { LaneNow } from '../domain/lane/lane-now.ts'
import type { Hear } from './model.ts'

/**
 * What lanes do at this moment, in the memory of the process that works on them. Nothing of it is
 * stored, nobody waits for it, and nothing is made of it while nobody looks.
 */
export interface LiveWork {
  /** A model is asked; `hear` takes what it says, word by word. */
  asks(lane: Lane, asked: AskedNow): { readonly hear: Hear; readonly end: () => void }
  /** A call of a tool begins; returns what ends it. */
  calls(lane: Lane, tool: string, input: Json): () => void
  /** A call has cost so much. */
  spent(lane: Lane, microUsd: number): void
  /** The lane has handed over, or has ended. */
  over(lane: string): void
}

export interface AskedNow {
  readonly model: string
  readonly context: LaneNow['context']
}

/** The reading side, for who shows it. */
export interface LiveWorkFeed {
  /** What has changed since a version, 0 for all, and the ids of all lanes that there are. */
  since(version: number): LiveChanges
  onChange(listener: () => void): void
}

export interface LiveChanges {
  readonly version: number
  readonly lanes: readonly LaneNow[]
  readonly ids: readonly string[]
}
