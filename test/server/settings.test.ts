import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { routes } from '../../src/api/routes.ts'
import type { OwnSetting, Settings } from '../../src/api/settings.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { bareHub } from './bare-hub.ts'
import { ask } from './browser.ts'
import { type ServedDrydock, serveHere } from './served.ts'

const key = 'sk-planted-0123456789abcdef'
let fixture: Fixture
let served: ServedDrydock
afterEach(async () => {
  await served.close()
  await fixture.remove()
})

async function serve(text: string) {
  fixture = await createFixture({ env: { ANTHROPIC_API_KEY: key } })
  const { user } = await fixture.open()
  await mkdir(dirname(user.file), { recursive: true })
  await writeFile(user.file, text)
  served = await serveHere(fixture)
  return user.file
}

const ownOf = (own: readonly OwnSetting[], name: string) => own.find((each) => each.key === name)

test('a setting of the user’s own file is changed and said; the running server heeds it from its next start', async () => {
  const file = await serve('{\n  "max_wait": "10m"\n}\n')
  const before = await served.page.get<Settings>('/api/settings')
  expect(routes.settings.answer.parse(before)).toEqual(before)
  expect(ownOf(before.own, 'max_wait')).toMatchObject({ value: '10m', next_start: false })
  const changed = await served.page.post('/api/settings', { key: 'max_wait', value: '2d', seen: '10m' })
  expect(changed.status).toBe(200)
  expect(ownOf(changed.body.own as OwnSetting[], 'max_wait')).toMatchObject({ value: '2d', next_start: true })
  expect(await readFile(file, 'utf8')).toBe('{\n  "max_wait": "2d"\n}\n')
  expect((await fixture.open()).user.max_wait).toBe('2d')
})

test('a bad value, a key that only the file changes and an old view are refused, and the file stays', async () => {
  const file = await serve('{ "max_wait": "10m" }')
  for (const [body, status, code] of [
    [{ key: 'max_wait', value: 'soon', seen: '10m' }, 400, 'bad_config'],
    [{ key: 'notify.command', value: ['/bin/sh'], seen: null }, 400, 'bad_usage'],
    [{ key: 'max_wait', value: '2d', seen: '5m' }, 409, 'already_done'],
  ] as const)
    expect(await served.page.post('/api/settings', body)).toMatchObject({ status, body: { code } })
  expect(await readFile(file, 'utf8')).toBe('{ "max_wait": "10m" }')
})

test('a key in a text of the file is not shown, and what was shown instead of it cannot take its place', async () => {
  const file = await serve(JSON.stringify({ instructions: { editor: `Use ${key}` } }))
  const { own } = await served.page.get<Settings>('/api/settings')
  const shown = ownOf(own, 'instructions.editor')
  expect(JSON.stringify(shown)).not.toContain(key)
  const kept = await served.page.post('/api/settings', {
    key: 'instructions.editor',
    value: `${shown?.value} now`,
    seen: shown?.value ?? null,
  })
  expect(kept).toMatchObject({ status: 409, body: { code: 'already_done' } })
  expect(await readFile(file, 'utf8')).toContain(key)
})

test('the settings of a hub cannot be changed from outside', async () => {
  await serve('{}')
  const hub = await bareHub()
  const headers = { Authorization: `Bearer ${await hub.token('ada', 'admin')}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ key: 'max_wait', value: '2d', seen: null })
  const answer = await ask(hub.port, '/api/settings', { method: 'POST', headers, body })
  expect([answer.status, answer.body]).toEqual([404, expect.stringContaining('The settings of a hub')])
})
