import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { knownAgent } from '../../src/domain/agents/known-agents.ts'
import { cache } from './install-pinned.ts'
import { pinnedAgents, type Trial } from './pinned-agents.ts'

/** The results of an agent's trials. */
export interface AgentRow {
  readonly name: string
  /** `yes`, or the reason why not. */
  readonly results: { [Name in Trial]?: string }
  loads: boolean
}

const page = new URL('../../docs/agents.md', import.meta.url)
const [begin, end] = ['<!-- tried agents: made by npm run test:long -- agents -->', '<!-- end of the tried agents -->']

const titles: Readonly<Record<Trial, string>> = {
  task: 'task',
  mends: 'mends after FAIL',
  asks: 'crew: plans and asks',
  kill: 'goes on after kill -9',
  shutIn: 'finds no way out and no key',
}

const results = join(cache, 'results')

export async function keepRow(row: AgentRow): Promise<void> {
  await writeFile(join(results, `${row.name}.json`), JSON.stringify(row))
}

/** Vitest calls this around a run. If all agents were tried, the results go into docs/agents.md. */
export async function setup(): Promise<() => Promise<void>> {
  await rm(results, { recursive: true, force: true })
  await mkdir(results, { recursive: true })
  return async () => {
    const files = await readdir(results)
    const rows = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(results, file), 'utf8'))))
    if (rows.length === pinnedAgents.length) await writeAgentTable(rows)
  }
}

async function writeAgentTable(rows: readonly AgentRow[]): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  if (after === '') throw new Error('docs/agents.md has no place for the table')
  await writeFile(page, `${before}${begin}\n\n${table(rows)}\n${end}${after}`)
}

function table(rows: readonly AgentRow[]): string {
  const rowOf = (wanted: string) =>
    rows.find(({ name }) => name === wanted) ?? { results: {} as AgentRow['results'], loads: false }
  const trials = Object.keys(titles) as Trial[]
  const head = ['`agent:`', 'packages', 'tried with', ...trials.map((key) => titles[key]), 'session goes on']
  const body = pinnedAgents.map(({ name, packages, kind }) => [
    `**${name}** (${knownAgent(name)?.title})`,
    Object.entries(packages)
      .map(([each, version]) => `\`${each}\` ${version}`)
      .join(', '),
    kind,
    ...trials.map((key) => rowOf(name).results[key] ?? 'not tried'),
    rowOf(name).loads ? 'yes' : 'no',
  ])
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
