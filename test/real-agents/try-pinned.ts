import { afterAll, describe, expect, test } from 'vitest'
import { type AgentRow, keepRow } from './agent-table.ts'
import { installPinned } from './install-pinned.ts'
import { pinnedAgent } from './pinned-agents.ts'
import { asksArchitect, doesTask, isShutIn, mendsAfterVerdict, survivesKill } from './trials.ts'

const trials = [
  ['does a task', 'task', doesTask],
  ['mends its change after a red verdict', 'mends', mendsAfterVerdict],
  ['asks the architect in a crew', 'asks', asksArchitect],
  ['goes on after kill -9', 'kill', survivesKill],
  ['reads no file outside, reaches no network and finds no key', 'shutIn', isShutIn],
] as const

export function tryPinned(name: string): void {
  const agent = pinnedAgent(name)
  const row: AgentRow = { name, results: {}, loads: false }

  describe(name, () => {
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
      row.loads ||= found.loads ?? false
    })

    afterAll(() => keepRow(row))
  })
}
