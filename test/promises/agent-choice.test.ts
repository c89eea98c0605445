import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createAgentFixture, scripted, submit, writeNew } from '../scenarios/world/agent.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const key = { GOOGLE_GENERATIVE_AI_API_KEY: 'sk-wire-canary-0123456789' }

/** A folder for PATH with programs of these names that end at once. */
async function withPrograms(...names: readonly string[]): Promise<Fixture> {
  const made = await createFixture({ env: key })
  const bin = join(made.folder, 'bin')
  await mkdir(bin)
  for (const name of names) await writeFile(join(bin, name), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
  Object.assign(made.env, { PATH: `${bin}:${made.env.PATH}` })
  return made
}

test('an agent that cannot be the editor is refused before anything starts, with what to do', async () => {
  fixture = await withPrograms('pi-acp')
  const tried = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await fixture.drydock(...args)
    return `${exitCode}: ${stderr}`
  }
  expect(await tried('task', '--editor-model', 'agent:gemini', 'x')).toMatch(
    /^2: .*gemini is not on PATH.*\n.*npm install -g @google\/gemini-cli/,
  )
  expect(await tried('task', '--editor-model', 'agent:nobody', 'x')).toContain('no agent named "nobody"')
  expect(await tried('task', '--model', 'agent:gemini', 'x')).toMatch(
    /agent:gemini can only be the editor[\s\S]*--editor-model agent:gemini/,
  )
  const list = 'agent:gemini,openai:gpt-5'
  expect(await tried('task', '--editor-model', list, 'x')).toContain('agent:gemini must be the only one')
  expect(await tried('task', '--editor-model', 'agent:pi', 'x')).toContain('pi is not on PATH')
})

test('a crew whose editor is an agent needs models for the architect and the scouts', async () => {
  fixture = await createAgentFixture({ turns: [] })
  const { exitCode, stderr } = await fixture.drydock('run', 'Make it', '--editor-model', scripted)
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(/No model is configured for the (architect|scout)/)
})

test('doctor lists the agents that it finds, and starts them in a sandbox when it is asked to', async () => {
  fixture = await createAgentFixture({ turns: [{ steps: [writeNew, submit()] }], fixture: { env: key } })
  const agents = async (...args: readonly string[]) => {
    const { events } = await fixture.drydock('doctor', '--json', ...args)
    return events.filter(({ name, agent }) => name === 'agent' && (agent as { name: string })?.name === 'scripted')
  }
  expect(await agents()).toMatchObject([{ ok: true, agent: { name: 'scripted', loads_sessions: null } }])
  expect(await agents('--agents')).toMatchObject([
    {
      ok: true,
      found: expect.stringContaining('starts in the sandbox, loads sessions'),
      agent: { loads_sessions: true },
    },
  ])
})

test('doctor says of an agent that takes no tools that it is for tasks alone', async () => {
  fixture = await withPrograms('pi-acp', 'pi')
  const { events } = await fixture.drydock('doctor', '--json')
  expect(events.find(({ name }) => name === 'agent')).toMatchObject({
    found: expect.stringContaining('for tasks alone'),
  })
})

test('doctor says of an agent that does not start what it said, and that it is missing only where it is the editor', async () => {
  fixture = await withPrograms('gemini')
  const agent = async (...args: readonly string[]) => {
    const { events } = await fixture.drydock('doctor', '--json', '--agents', ...args)
    return events.find(({ name }) => name === 'agent')
  }
  expect(await agent()).toMatchObject({ ok: true, found: expect.stringContaining('it ended with exit code 3') })
  expect(await agent('--editor-model', 'agent:gemini')).toMatchObject({ ok: false })
})
