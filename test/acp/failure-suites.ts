import { expect, test } from 'vitest'
import type { AgentBounds } from '../../src/adapters/acp/agent-connection.ts'
import type { AgentScript, Step } from './agent-script.ts'
import { agentWorld, alive, prompted } from './agent-world.ts'

type Failure = Readonly<Record<'kind' | 'message', string>>

/** Tests agents that cannot be used: each by its behaviour, with the failure that reports it. */
export function unusableAgents(cases: readonly (readonly [string, AgentScript, Failure])[]): void {
  test.each(cases)('since it %s is named', async (_name, script, failure) => {
    const short: Partial<AgentBounds> = script.hangsOn === 'initialize' ? { startSec: 1 } : { sessionSec: 1 }
    const { open } = await agentWorld({ bounds: failure.kind === 'silent' ? short : {} })
    expect(await open(script)).toEqual({ ok: false, failure })
  })
}

/** Tests turns that fail: each by its steps, with the failure that reports it. */
export function failingTurns(cases: readonly (readonly [string, readonly Step[], Failure])[]): void {
  test.each(cases)('that %s is a failure, after which nothing is alive', async (_name, steps, failure) => {
    const mark = `${process.pid}${process.hrtime.bigint()}`
    const short = failure.kind === 'silent' ? { idleSec: 1 } : {}
    const { session } = await agentWorld({
      bounds: { turnMessages: 200, turnBytes: 300_000, lineBytes: 100_000, strayLines: 10, ...short },
    })
    const agent = await session({ turns: [{ steps: [{ leave: `exec sleep ${mark}` }, ...steps, { hang: true }] }] })
    const { end } = await prompted(agent, 'Go.')
    const said = { ...failure, message: `The agent scripted failed: ${failure.message}` }
    expect(end).toEqual({ type: 'failed', failure: said })
    expect(alive(`sleep ${mark}`)).toEqual([])
    expect((await prompted(agent, 'Again.')).end).toEqual({ type: 'failed', failure: said })
  })
}
