import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { RepositoryList } from '../../src/api/repositories.ts'
import type { RunList } from '../../src/api/runs.ts'
import { serveApart } from '../e2e/serving.ts'
import { createCrewFixture, specLanes } from '../scenarios/world/crew.ts'
import { play } from '../scenarios/world/crew-script.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { ask, signIn } from './browser.ts'

let fixture: Fixture
let other: Fixture
let run: string

/** In the second repository a Run waits for its approval, and no process works. */
beforeAll(async () => {
  fixture = await createFixture()
  other = await createCrewFixture({ env: fixture.env })
  const asked = await play(other, { lanes: specLanes('one') }, '--review-stories')
  run = String(asked.events[0]?.run)
})
afterAll(() => Promise.all([fixture.remove(), other.remove()]))

test('the server of another repository is started when it is asked for, and ends with the one that started it', async () => {
  const third = await createFixture({ env: fixture.env })
  onTestFinished(() => third.remove())
  const here = await serveApart(third, '--port', '0')
  const page = await signIn(here.link)
  const known = (await page.get<RepositoryList>('/api/repositories')).repositories
  const there = known.find(({ path }) => path === other.repo)
  const opened = await page.post(`/api/repositories/${there?.id}/open`, {})
  const second = await page.post(`/api/repositories/${there?.id}/open`, {})
  const links = [opened, second].map(({ body }) => String(body.link))
  expect(new URL(links[0] ?? '').port).toBe(new URL(links[1] ?? '').port)
  const elsewhere = await signIn(links[0] ?? '')
  expect(await elsewhere.get<RunList>('/api/runs')).toMatchObject({ repository: other.repo, runs: [{ run }] })
  await expect.poll(async () => (await elsewhere.get<RunList>('/api/runs')).owned).toBe(true)
  here.child.kill('SIGTERM')
  await here.ended
  await expect(ask(elsewhere.port, '/server')).rejects.toThrow('ECONNREFUSED')
})
