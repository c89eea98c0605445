import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { RunList } from '../../src/api/runs.ts'
import { createFixture, type Fixture, greenLanes } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { type Page, signIn } from './browser.ts'

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

test('serve prints a link, continues all work, and others on the same state find it', async () => {
  fixture = await createFixture()
  const model = await fixture.replay(greenLanes)
  const serving = start('serve', '--port', '0', '--model', model)
  const page = await signIn(await linkOf(serving))
  await owned(page, true)
  const { body } = await page.post('/api/tasks', { task: 'say new' })
  const stream = await page.events('/api/events?after=0')
  await stream.until(({ run, type }) => run === body.run && type === 'result')

  const second = await start('serve').ended
  expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Another drydock process serves it.') })
  expect(await (await signIn(link.exec(second.stdout)?.[0] ?? '')).get<RunList>('/api/runs')).toMatchObject({
    owned: true,
    runs: [{ run: body.run, state: 'DONE' }],
  })
  const third = await start('task', 'say new', '--dry-run', '--ui', '--model', model).ended
  expect(third.stderr).toContain(`Dashboard: http://127.0.0.1:${page.port}/#token=`)

  serving.child.kill('SIGINT')
  expect(await serving.ended).toMatchObject({ exitCode: 130 })
  await stream.ended
  await expect(stat(await addressFile())).rejects.toThrow('ENOENT')
})
