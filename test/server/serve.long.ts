import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { RunList } from '../../src/api/runs.ts'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { findGate, gatedLanes, gateReached, launch, type Running } from '../scenarios/world/process.ts'
import { ask, type Page, signIn } from './browser.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const link = /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/

const start = (...args: string[]): Running => launch([...args, '--repo', fixture.repo], { env: fixture.env })

async function linkOf(running: Running): Promise<string> {
  return link.exec(await running.line(link))?.[0] ?? ''
}

const addressFile = async () => join((await fixture.open()).state, 'dashboard.json')

/** Follows the server's stream until it reports this. */
async function owned(page: Page, wanted: boolean): Promise<void> {
  const stream = await page.events()
  await stream.untilOwned(wanted)
  stream.close()
}

test('serve takes the work over when its owner goes, unless it is told not to', async () => {
  fixture = await createFixture()
  const model = await fixture.replay(gatedLanes)
  const working = start('task', 'say new', '--model', model, '--no-ui', '--json')
  await working.line(gateReached)
  const looking = start('serve', '--port', '0', '--no-own')
  const page = await signIn(await linkOf(looking))
  await owned(page, true)
  working.child.kill('SIGKILL')
  await working.ended
  await owned(page, false)
  expect(await page.get<RunList>('/api/runs')).toMatchObject({
    owned: false,
    runs: [{ state: 'MONITORING', interrupted: true }],
  })
  looking.child.kill('SIGTERM')
  await looking.ended

  const next = start('serve', '--port', '0')
  const again = await signIn(await linkOf(next))
  await owned(again, true)
  const stream = await again.events('/api/events?after=0')
  expect((await stream.until((event) => event.type === 'result')).data.status).toBe('DONE')
  next.child.kill('SIGTERM')
  await next.ended
})

test('the leftovers of a killed server are not taken for a server', async () => {
  fixture = await createFixture()
  const first = start('serve', '--port', '0')
  const { port, headers } = await signIn(await linkOf(first))
  first.child.kill('SIGKILL')
  await first.ended
  expect(JSON.parse(await readFile(await addressFile(), 'utf8'))).toMatchObject({ port })
  const stranger = createServer((_, response) => response.end('{"server":"another"}')).listen(port, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  const second = start('serve', '--port', String(port))
  const page = await signIn(await linkOf(second))
  expect(page.port).toBeGreaterThan(port)
  // The browser's session is still valid.
  expect((await ask(page.port, '/api/runs', { headers })).status).toBe(200)
  second.child.kill('SIGTERM')
  await second.ended
  await writeFile(await addressFile(), 'no JSON')
  const third = start('serve', '--port', '0')
  await linkOf(third)
  third.child.kill('SIGTERM')
  await third.ended
})

test('a task is shown in a browser while it is worked on where it is told to, and never unasked without a terminal', async () => {
  fixture = await createFixture()
  const model = await fixture.replay(gatedLanes)
  const running = start('task', 'say new', '--ui', '--model', model)
  const page = await signIn(await linkOf(running))
  const stream = await page.events('/api/events?after=0')
  await stream.until(({ type, data }) => type === 'model_call' && data.lane === 'editor/task/CODING')
  const gate = await findGate(join((await fixture.open()).state, 'workspaces', 'coder-001'))
  expect(await page.get<RunList>('/api/runs')).toMatchObject({
    owned: true,
    runs: [{ state: 'MONITORING', title: 'say new' }],
  })
  await gate.open()
  expect(await running.ended).toMatchObject({ exitCode: 0 })
  await expect(ask(page.port, '/server')).rejects.toThrow('ECONNREFUSED')
  for (const flag of ['--no-ui', '--json', '--no-wait']) {
    const result = await fixture.drydock(
      'task',
      '--dry-run',
      'say new',
      '--model',
      await fixture.replay(greenLanes),
      flag,
    )
    expect(result.stderr + result.stdout).not.toContain('127.0.0.1')
  }
})

test('the script of docs/api.md reads runs and starts a task', async () => {
  fixture = await createFixture()
  const serving = start('serve', '--port', '0', '--model', await fixture.replay(greenLanes))
  const { origin, hash } = new URL(await linkOf(serving))
  const [, shown = ''] = /^```sh\n(.*?)^```$/ms.exec(await readFile('docs/api.md', 'utf8')) ?? []
  // The last line follows events for ever.
  const script = shown
    .replace(/^url=.*$/m, `url=${origin}; link_token=${hash.slice('#token='.length)}`)
    .replace(/^curl -sN.*$/m, '')
  const { stdout } = await promisify(execFile)('bash', ['-euc', script])
  expect(stdout).toMatch(/"runs":\[\].*"run":"fix-the-login-timeout-\w+","handed":"applied"/s)
  serving.child.kill('SIGTERM')
  await serving.ended
})
