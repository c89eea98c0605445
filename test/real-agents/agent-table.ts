import { readFile, writeFile } from 'node:fs/promises'
import { knownAgent } from '../../src/domain/agents/known-agents.ts'
import type { PinnedAgent, Trial } from './pinned-agents.ts'

export interface AgentRow {
  readonly agent: PinnedAgent
  /** `yes`, or why not. */
  readonly results: { [Name in Trial]?: string }
  version: string | null
  loads: boolean
}

const page = new URL('../../docs/agents.md', import.meta.url)
const [begin, end] = ['<!-- tried agents: made by npm run test:agents -->', '<!-- end of the tried agents -->']

const titles: Readonly<Record<Trial, string>> = {
  task: 'task',
  mends: 'mends after FAIL',
  asks: 'crew: plans and asks',
  kill: 'goes on after kill -9',
  shutIn: 'finds no way out and no key',
}

/** Writes what was tried into docs/agents.md. */
export async function writeAgentTable(rows: readonly AgentRow[]): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  if (after === '') throw new Error('docs/agents.md has no place for the table')
  await writeFile(page, `${before}${begin}\n\n${table(rows)}\n${end}${after}`)
}

function table(rows: readonly AgentRow[]): string {
  const trials = Object.keys(titles) as Trial[]
  const head = ['`agent:`', 'packages', 'tried with', ...trials.map((key) => titles[key]), 'session goes on']
  const body = rows.map(({ agent, results, loads }) => [
    `**${agent.name}** (${knownAgent(agent.name)?.title})`,
    Object.entries(agent.packages)
      .map(([name, version]) => `\`${name}\` ${version}`)
      .join(', '),
    agent.kind,
    ...trials.map((key) => results[key] ?? 'not tried'),
    loads ? 'yes' : 'no',
  ])
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
