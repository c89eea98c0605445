import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, createFixture, type Fixture } from '../world/fixture.ts'
import { build, greenStory, specLanes } from './world/crew.ts'
import { greenLanes } from './world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

async function configure(commit: object): Promise<void> {
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ commit }))
}

const people = '%an <%ae>, %cn <%ce>%n%(trailers:only)'

test('a crew’s commits can be by the user that git knows, who is not thereby the committer, and their receipts hold', async () => {
  fixture = await createCrewFixture()
  await configure({ author: 'user' })
  const done = await build(fixture, { ...specLanes('one'), ...greenStory('one') })
  expect(done.exitCode, done.stderr).toBe(0)
  const branch = await fixture.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/drydock/')
  expect(await fixture.git('log', '-1', `--format=${people}`, branch)).toMatch(
    /^Tester <tester@localhost>, Drydock <drydock@localhost>\nDrydock-Story: .*\nVerified-By: .*\nReviewed-By: .*$/,
  )
  expect(await fixture.drydock('receipt', 'verify', branch)).toMatchObject({ exitCode: 0 })
})

test('a task’s commit is by Drydock with the trailers that the user wants, or by whom the user names', async () => {
  fixture = await createFixture()
  const words = async () => {
    const done = await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    expect(done.exitCode, done.stderr).toBe(0)
    const [newest] = (
      await fixture.git('for-each-ref', '--sort=-refname', '--format=%(refname)', 'refs/heads/drydock')
    ).split('\n')
    return fixture.git('log', '-1', `--format=${people}`, newest ?? '')
  }
  await configure({ trailers: ['Co-authored-by: Zoë <zoe@example.com>', 'Ticket: 7'] })
  expect(await words()).toMatch(
    /^Drydock <.*>, Drydock <.*>\nDrydock-Story: .*\nVerified-By: .*\nCo-authored-by: Zoë <zoe@example.com>\nTicket: 7$/,
  )
  await configure({ author: 'Zoë <zoe@example.com>' })
  expect(await words()).toMatch(/^Zoë <zoe@example.com>, Drydock <.*>\n.*\nVerified-By: .*$/)
})
