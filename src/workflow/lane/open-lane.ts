import { randomBytes } from 'node:crypto'
import { guidanceSection, keyLine, type Speak } from '../../agents/prompts/guidance.ts'
import { roleSections } from '../../agents/prompts/role-sections.ts'
import { readSkill } from '../../agents/tools/read-skill.ts'
import { toolsOf } from '../../agents/tools/registry.ts'
import { isSecret } from '../../agents/tools/roles.ts'
import {
  type AgentRole,
  agentOf,
  freshLane,
  type Lane,
  type LaneData,
  type LaneLimits,
} from '../../domain/lane/lane.ts'
import type { McpTool } from '../../domain/mcp/mcp-tool.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { Transaction } from '../../ports/store.ts'
import { runOf } from '../machines.ts'
import { systemOf } from './system-prompt.ts'

/** Builds a lane's first message; `speak` renders a human's words. */
export type Prompt = (speak: Speak) => string

export interface NewLane {
  readonly run: string
  readonly story: string | null
  readonly key: string
  readonly role: AgentRole
  readonly parent: string
  readonly limits: LaneLimits
  /** The first message, after the advice of user and repository for the role. */
  readonly prompt: Prompt
}

/** Opens a lane: a conversation that knows only its prompt. The first step is queued. */
export async function openLane(tx: Transaction, { prompt, run, story, ...lane }: NewLane): Promise<Lane> {
  const opening = await runOf(tx, { run, story })
  const { config } = opening.data
  const humanKey = newKey()
  const speak = (text: string) => guidanceSection(text, humanKey)
  const isReviewed = agentOf(lane.role) === 'editor' && opening.data.policy.reviewer !== null
  const hasSkills = config?.skills !== undefined && toolsOf(lane.role, { hasSkills: true }).includes(readSkill)
  const sections = config === null ? [] : roleSections(agentOf(lane.role), { config, hasSkills, speak })
  const text = [keyLine(humanKey), ...sections, prompt(speak)].join('\n\n')
  const mcp = mcpToolsFor(lane.role, config)
  const system = systemOf(lane.role, { isReviewed, hasSkills, mcp })
  const offered = {
    ...(isReviewed && { reviewed: true as const }),
    ...(hasSkills && { skills: true as const }),
    ...(landsTogether(opening) && { repositories: true as const }),
    ...(mcp.length > 0 && { mcp }),
  }
  const data = { ...lane, ...freshLane, system, humanKey, ...offered }
  return insertLane(tx, { run, story, data, text })
}

/** Opens the same lane under another name, with only its first message. */
export async function openAnew(
  tx: Transaction,
  { run, story, data: { role, parent, limits, system, reviewed, skills, repositories, mcp, humanKey: before } }: Lane,
  { key, text }: { readonly key: string; readonly text: string },
): Promise<Lane> {
  const offered = {
    ...(reviewed && { reviewed }),
    ...(skills && { skills }),
    ...(repositories && { repositories }),
    ...(mcp && { mcp }),
  }
  const same = { key, role, parent, limits, ...freshLane, system, ...offered }
  if (before === undefined) return insertLane(tx, { run, story, data: same, text })
  const humanKey = newKey()
  return insertLane(tx, { run, story, data: { ...same, humanKey }, text: text.replaceAll(before, humanKey) })
}

/** A lane without read tools decides by figures, and has no use for MCP tools. */
function mcpToolsFor(role: AgentRole, config: RunConfig | null): readonly McpTool[] {
  if (config?.mcp === undefined || isSecret(role) || !toolsOf(role).some(({ kind }) => kind === 'read')) return []
  return config.mcp.filter(({ roles }) => roles.includes(agentOf(role)))
}

interface LaneInput {
  readonly run: string
  readonly story: string | null
  readonly data: LaneData
  readonly text: string
}

async function insertLane(tx: Transaction, { run, story, data, text }: LaneInput): Promise<Lane> {
  const machine = await tx.create({ id: laneId(run, data.key), kind: 'lane', run, story, data }, 'queue')
  await tx.appendMessages(machine.id, [{ role: 'user', text }])
  await tx.appendEvent({ run, story, type: 'lane', data: { lane: data.key, state: machine.state } })
  return machine
}

export function laneId(run: string, key: string): string {
  return `${run}/${key}`
}

/** A random key for each lane, so that nobody can guess it. */
function newKey(): string {
  return randomBytes(8).toString('hex')
}
