import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'
import type { AgentFailure } from '../../ports/coding-agent.ts'

/** Thrown inside of this folder for what the port tells as an `AgentFailure`. */
export class AgentBroke extends Error {
  readonly kind: AgentFailure['kind']
  /** Of the error that it answered with. */
  readonly code: number | null

  constructor(kind: AgentFailure['kind'], message: string, code: number | null = null) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

/** Words of an agent in a sentence about it. */
export function quoted(words: string): string {
  return plainLine(words, limits.agents.quoteChars)
}
