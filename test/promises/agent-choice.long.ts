import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
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
