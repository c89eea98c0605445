import { claude } from './claude.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import type { KnownAgent } from './known-agent.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'

/** Agents that need no entry in the user's file. docs/agents.md says which of them were tried. */
export const knownAgents = { opencode, gemini, qwen, cline, codex, claude, pi } as const satisfies Readonly<
  Record<string, KnownAgent>
>

export const knownAgentNames: readonly string[] = Object.keys(knownAgents)

export function knownAgent(name: string): KnownAgent | null {
  return Object.hasOwn(knownAgents, name) ? knownAgents[name as keyof typeof knownAgents] : null
}
