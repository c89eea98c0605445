import type { PostType } from '../domain/chat.ts'
import type { Command } from '../domain/command.ts'
import type { Json } from '../domain/json.ts'
import type { Usage } from '../domain/lane/message.ts'
import type { InfraErrorType, Manifest, Verdict } from '../domain/verification/verdict.ts'

export interface ChatFilter {
  readonly run: string
  /** null: only messages of the Run itself. Left out: messages of its stories as well. */
  readonly story?: string | null
  /** An id, or `0`: only messages posted later. */
  readonly after?: string
  readonly postType?: PostType
  /** The most messages, counted from the first. */
  readonly limit?: number
}

export interface ModelCall {
  readonly lane: string
  readonly turn: number
  readonly run: string
  readonly story: string | null
  readonly agent: string
  readonly model: string
  /** The `stop` of a ModelReply. */
  readonly stop: string
  /** With `stop: 'error'`, the kind and text of the failure. */
  readonly error: string | null
  readonly usage: Usage | null
  /**
   * True if the provider reported no usage, so `usage` is an estimate; the event of the call says
   * so.
   */
  readonly isEstimated?: true
  /** Cost in millionths of a dollar; null when the price is unknown. */
  readonly costMicroUsd: number | null
  readonly startedAt: string
  readonly durationMs: number
}

/**
 * The state that an interrupted edit is compared with: SHA-256 of each file before and after the
 * edit, null for an absent file.
 */
export type Expectation = readonly {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}[]

/**
 * One tool call of a model. `session` is the Run. A row without `finishedAt` was started, and its
 * call may have happened.
 */
export interface ToolExecution {
  readonly session: string
  readonly lane: string
  readonly turn: number
  readonly index: number
  readonly callId: string
  readonly story: string | null
  readonly agent: string
  readonly tool: string
  readonly arguments: Json
  readonly expectation: Expectation | null
  readonly startedAt: string
  readonly result: string | null
  readonly success: boolean | null
  readonly durationMs: number | null
  readonly finishedAt: string | null
}

export interface VerificationRow {
  readonly runId: string
  readonly run: string
  readonly story: string | null
  readonly commitSha: string
  readonly status: Verdict['status']
  readonly errorType: InfraErrorType | null
  readonly errorMessage: string | null
  readonly tailLog: string | null
  readonly manifest: Manifest | null
  readonly finishedAt: string
}

export interface ContextFile {
  readonly run: string
  readonly story: string
  readonly n: number
  readonly milestone: string
  readonly content: string
}

/**
 * A call to a forge or a remote. `key` identifies the request and its subject, so that a repeated
 * call is the same row. Without `finishedAt` the call may or may not have happened.
 */
export interface ForgeCall {
  readonly key: string
  readonly run: string
  /** `push`, or the name of the call of the port. */
  readonly call: string
  readonly request: Json
  readonly startedAt: string
  readonly answer: Json
  readonly finishedAt: string | null
}

/** A stored command. `key` is unique, so the same command given twice is one command. */
export interface CommandRow {
  readonly key: string
  readonly command: Command
}
