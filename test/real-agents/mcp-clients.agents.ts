import { describe, expect, test } from 'vitest'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes } from '../scenarios/world/process.ts'
import type { Action } from './agent-hands.ts'
import { installPinned } from './install-pinned.ts'
import { type McpClientName, type McpClientWorld, mcpClients, mcpClientWorld } from './mcp-client-world.ts'
import { pinnedAgent } from './pinned-agents.ts'

const start: Action = { tool: 'start_task', input: { task: 'say new' } }
const status: Action = { tool: 'status', input: {} }
const names = Object.keys(mcpClients) as McpClientName[]

/** The client's latest message to its model. */
const toldIn = ({ model }: McpClientWorld) => model.requests.at(-1)?.raw ?? ''

describe.each(names)('%s as a client of drydock mcp', (name) => {
  test('hands a task over and gets the verified branch back', { timeout: 900_000 }, async ({ skip }) => {
    const failed = await installFailure(name)
    if (failed !== null) skip(failed)
    const world = await mcpClientWorld(name, { actions: [start, { say: 'The branch is ready.' }], lanes: greenLanes })
    const ended = await world.asks('Have value.txt say new.')
    expect(ended.exitCode, ended.stderr).toBe(0)
    expect(world.model.impossible).toEqual([])
    expect(ended.stdout).toContain('The branch is ready.')
    expect(toldIn(world)).toContain('drydock/say-new')
    expect(await world.fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  })

  test('that stops waiting hears of the work by status', { timeout: 900_000 }, async ({ skip }) => {
    const failed = await installFailure(name)
    if (failed !== null) skip(failed)
    let letGo = async () => {}
    const actions = [start, status, status, { say: 'I have seen the branch.' }]
    const before = (_: Action, index: number) => (index === 2 ? letGo() : undefined)
    const world = await mcpClientWorld(name, { actions, lanes: gatedLanes, before, timeoutSec: 30 })
    const { fixture, model } = world
    letGo = async () => {
      expect(toldIn(world)).not.toContain('drydock/say-new')
      const gate = await findGate((await fixture.open()).workTrees.path('coder-001'))
      await gate.open()
      const shown = async () => (await fixture.drydock('status', '--json')).stdout
      await expect.poll(shown, { timeout: 300_000 }).toContain('drydock/say-new')
    }
    const ended = await world.asks('Have value.txt say new.')
    expect(ended.exitCode, ended.stderr).toBe(0)
    expect(model.impossible).toEqual([])
    expect(toldIn(world)).toMatch(/timed out awaiting tools.{0,2}call|Request timed out/)
    expect(toldIn(world)).toContain('drydock/say-new')
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  })
})

/** The reason why it cannot be installed here; null if it is. */
async function installFailure(name: McpClientName): Promise<string | null> {
  return installPinned(pinnedAgent(name)).then(
    () => null,
    (error: Error) => `${name} cannot be installed: ${error.message}`,
  )
}
