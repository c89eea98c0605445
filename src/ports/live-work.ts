import type { Json } from '../domain/json.ts'
import type { Lane } from '../domain/lane/lane.ts'
import type { LaneNow } from '../domain/lane/lane-now.ts'
import type { Hear } from './model.ts'

/**
 * The present activity of lanes, in the memory of the process that works on them. None of it is
 * stored, nobody waits for it, and nothing is computed while nobody looks.
 */
export interface LiveWork {
  /** Starts a model call; `hear` takes the reply, word by word. */
  asks(lane: Lane, asked: AskedNow): { readonly hear: Hear; readonly end: () => void }
  /** Starts a tool call; the returned function ends it. */
  calls(lane: Lane, tool: string, input: Json): () => void
  /** Adds the cost of a call. */
  spent(lane: Lane, microUsd: number): void
  /** Removes a lane that has submitted its work or ended. */
  over(lane: string): void
}

export interface AskedNow {
  readonly model: string
  readonly context: LaneNow['context']
}

/** The reading side, for views. */
export interface LiveWorkFeed {
  /** The changes since a version, 0 for everything, and the ids of all present lanes. */
  since(version: number): LiveChanges
  onChange(listener: () => void): void
}

export interface LiveChanges {
  readonly version: number
  readonly lanes: readonly LaneNow[]
  readonly ids: readonly string[]
}
