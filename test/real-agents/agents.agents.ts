import { afterAll, describe, expect, test } from 'vitest'
import { type AgentRow, writeAgentTable } from './agent-table.ts'
import { installPinned } from './install-pinned.ts'
import { pinnedAgents } from './pinned-agents.ts'
import { asksArchitect, doesTask, isShutIn, mendsAfterVerdict, survivesKill } from './trials.ts'

/** AGENTS=gemini,pi tries only these, and leaves the table of docs/agents.md as it is. */
const chosen = process.env.AGENTS?.split(',')
const tried = pinnedAgents.filter(({ name }) => chosen === undefined || chosen.includes(name))
const rows = new Map<string, AgentRow>()

const trials = [
  ['does a task', 'task', doesTask],
  ['mends its change after a red verdict', 'mends', mendsAfterVerdict],
  ['asks the architect in a crew', 'asks', asksArchitect],
  ['goes on after kill -9', 'kill', survivesKill],
  ['reads no file outside, reaches no network and finds no key', 'shutIn', isShutIn],
] as const

describe.each(tried)('$name', (agent) => {
  const row: AgentRow = { agent, results: {}, version: null, loads: false }
  rows.set(agent.name, row)

  test('is installed', { timeout: 300_000 }, async () => {
    await installPinned(agent)
  })

  test.each(trials)('%s', { timeout: 240_000 }, async (_, key, trial) => {
    const reason = agent.cannot?.[key]
    if (reason !== undefined) {
      row.results[key] = reason
      await expect(trial(agent)).rejects.toThrow()
      return
    }
    row.results[key] = 'failed'
    const found = await trial(agent)
    row.results[key] = 'yes'
    row.version = found.version ?? row.version
    row.loads ||= found.loads ?? false
  })
})

afterAll(async () => {
  if (chosen === undefined) await writeAgentTable([...rows.values()])
})
