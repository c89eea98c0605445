import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'
import type { AgentFailure } from '../../ports/coding-agent.ts'

/** Thrown inside this folder; callers of the port get it as an `AgentFailure`. */
export class AgentBroke extends Error {
  readonly kind: AgentFailure['kind']
  /** The JSON-RPC code of the error that the agent answered with; null without such an answer. */
  readonly code: number | null

  constructor(kind: AgentFailure['kind'], message: string, code: number | null = null) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

/** Quotes the words of an agent inside a sentence about it. */
export function quoted(words: string): string {
  return plainLine(words, limits.agents.quoteChars)
}
