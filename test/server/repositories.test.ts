import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RepositoryList } from '../../src/api/repositories.ts'
import { routes } from '../../src/api/routes.ts'
import { createCrewFixture, specLanes } from '../scenarios/world/crew.ts'
import { play } from '../scenarios/world/crew-script.ts'
import { createFixture, type Fixture } from '../scenarios/world/fixture.ts'
import { bareHub } from './bare-hub.ts'
import { ask } from './browser.ts'
import { type ServedDrydock, serveHere } from './served.ts'

let fixture: Fixture
let other: Fixture
let served: ServedDrydock
let run: string

/**
 * One repository is served; in the second one a Run waits for its approval, and no process works.
 */
beforeAll(async () => {
  fixture = await createFixture()
  other = await createCrewFixture({ env: fixture.env })
  const asked = await play(other, { lanes: specLanes('one') }, '--review-stories')
  run = String(asked.events[0]?.run)
  served = await serveHere(fixture)
})
afterAll(async () => {
  await served.close()
  await Promise.all([fixture.remove(), other.remove()])
})

const list = () => served.page.get<RepositoryList>('/api/repositories')

test('all repositories of the user are listed with their runs and questions, the served one first', async () => {
  const answer = await list()
  expect(routes.repositories.answer.parse(answer)).toEqual(answer)
  expect(answer.repositories).toMatchObject([
    { current: true, place: 'here', runs: [], escalations: [] },
    { current: false, place: 'here', owned: false, total_runs: 1, runs: [{ run }], escalations: [{ run }] },
  ])
})

test('a question of another repository is answered from here: its own state keeps the reply', async () => {
  const [, asks] = (await list()).repositories
  const path = `/api/repositories/${asks?.id}/reply`
  const answered = await served.page.post(path, { message: asks?.escalations[0]?.id ?? '', text: 'stop' })
  expect(answered).toMatchObject({ status: 202, body: { run, handed: 'recorded' } })
  expect((await list()).repositories[1]?.escalations).toMatchObject([{ run, answered: true }])
  const ended = await other.drydock('resume', '--json', '--no-wait')
  expect(ended.events.at(-1)).toMatchObject({ type: 'result', status: 'CANCELLED' })
  expect((await list()).repositories[1]?.escalations).toEqual([])
})

test('a session of one repository is worth nothing at the server of another', async () => {
  const beside = await serveHere(other)
  const answer = await ask(beside.port, '/api/runs', { headers: served.page.headers })
  expect(answer.status).toBe(401)
  await beside.close()
})

test('acting on other repositories requires a fresh token, and a known repository', async () => {
  const [, there] = (await list()).repositories
  for (const [what, body] of [
    ['open', {}],
    ['reply', { message: '1', text: 'stop' }],
  ] as const) {
    const headers = {
      ...served.page.headers,
      Origin: `http://127.0.0.1:${served.port}`,
      'Content-Type': 'application/json',
    }
    const asked = { method: 'POST', headers, body: JSON.stringify(body) }
    const stale = await ask(served.port, `/api/repositories/${there?.id}/${what}`, asked)
    expect([stale.status, JSON.parse(stale.body).code]).toEqual([403, 'not_fresh'])
    for (const id of ['none-0123456789ab', '..', '%2e%2e%2fetc'])
      expect((await served.page.post(`/api/repositories/${id}/${what}`, body)).status).toBe(404)
  }
})

test('a hub tells of no other repository', async () => {
  const hub = await bareHub()
  const headers = { Authorization: `Bearer ${await hub.token('ada', 'admin')}` }
  const asked = await ask(hub.port, '/api/repositories', { headers })
  expect([asked.status, asked.body]).toEqual([404, expect.stringContaining('A hub has one repository.')])
})

test('a repository that was moved is shown as such; a state that cannot be read hides none of the others', async () => {
  await rename(other.repo, `${other.repo}-moved`)
  const broken = join(dirname(served.drydock.state), 'broken-0123456789ab')
  await mkdir(broken)
  await writeFile(join(broken, 'drydock.db'), 'no database')
  const { repositories } = await list()
  const gone = repositories.find(({ path }) => path === other.repo)
  expect(repositories[0]).toMatchObject({ current: true, place: 'here' })
  expect(repositories.find(({ name }) => name === 'broken')).toMatchObject({
    place: 'unknown',
    problem: { message: expect.any(String) },
    runs: [],
  })
  expect(gone).toMatchObject({ name: basename(other.repo), place: 'gone', problem: null, runs: [{ run }] })
  const opened = await served.page.post(`/api/repositories/${gone?.id}/open`, {})
  expect(opened).toMatchObject({ status: 404, body: { message: expect.stringContaining(other.repo) } })
  await rename(`${other.repo}-moved`, other.repo)
  await rm(broken, { recursive: true })
})
