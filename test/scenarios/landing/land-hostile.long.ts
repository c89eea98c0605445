import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configureForge, createLandingWorld, type LandingWorld } from '../../forge/landing-world.ts'
import type { CommandResult } from '../world/fixture.ts'

const errorOf = ({ exitCode, events }: CommandResult) => ({ exitCode, ...events.at(-1) })

/** A server's action in the middle of a push, outside the push's quarantine. */
const meanwhile = (script: string) => `unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY; ${script}`

async function pushElsewhere({ fixture, forge, sha }: LandingWorld, name: string): Promise<void> {
  await fixture.git('push', '-q', forge.bare, `${sha}:${name}`)
}

test('if two land at once the later one finds the commit there, and succeeds', async () => {
  const world = await createLandingWorld()
  const { forge, branch, sha } = world
  await pushElsewhere(world, 'refs/hidden/first')
  await forge.onPush(meanwhile(`git update-ref refs/heads/${branch} ${sha}`))
  const landed = await world.land()
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  expect(forge.changes).toHaveLength(1)
})

test('a branch that cannot be made beside another one is said with the words of the server', async () => {
  const world = await createLandingWorld()
  const [first = ''] = world.branch.split('/')
  await world.fixture.git('push', '-q', world.forge.bare, `main:refs/heads/${first}`)
  const refused = errorOf(await world.land())
  expect(refused).toMatchObject({
    exitCode: 4,
    code: 'push_refused',
    message: expect.stringContaining(first),
    todo: expect.stringContaining('same command again'),
  })
})

test('a user and a password in the URL of the remote give way to the token, and are said nowhere', async () => {
  const world = await createLandingWorld()
  const { fixture, forge } = world
  const password = 'an-old-password-4711'
  await fixture.git('remote', 'set-url', 'origin', `${forge.url.replace('//', `//old:${password}@`)}/team/median.git`)
  const landed = await world.land()
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  await fixture.git('push', '-q', '--delete', forge.bare, world.branch)
  await forge.onPush('exit 1')
  const refused = await world.land()
  expect(errorOf(refused)).toMatchObject({ code: 'push_refused' })
  expect(landed.stdout + landed.stderr + refused.stdout + refused.stderr).not.toContain(password)
})

test('an authorization that the repository has for its server, as CI leaves one there, gives way to the token', async () => {
  const world = await createLandingWorld()
  const { fixture, forge } = world
  const old = Buffer.from('x-access-token:of-another-job').toString('base64')
  await fixture.git('config', `http.${forge.url}/.extraHeader`, `AUTHORIZATION: basic ${old}`)
  const landed = await world.land()
  expect(landed, landed.stderr).toMatchObject({ exitCode: 0 })
  expect(landed.stdout + landed.stderr).not.toContain(old)
})

test.each(['github', 'gitlab', 'forgejo'] as const)(
  'on %s what people wrote into a change stays, however long it is',
  async (kind) => {
    const world = await createLandingWorld(kind)
    const { forge } = world
    expect((await world.land()).exitCode).toBe(0)
    const change = forge.changes[0] as (typeof forge.changes)[number]
    const notes = `${'A note of the team. '.repeat(5_000)}The end.`
    forge.changes[0] = { ...change, text: `${notes}\n\n${change.text.replace('## Cost', '## Old')}\n\n${notes}` }
    const again = await world.land()
    expect(again, again.stderr).toMatchObject({ exitCode: 0 })
    expect(forge.changes).toMatchObject([{ text: `${notes}\n\n${change.text}\n\n${notes}` }])
  },
)

test('an invalid key of an App is named before anything is done', async () => {
  const world = await createLandingWorld()
  const { fixture, forge } = world
  const file = join(fixture.folder, 'app.pem')
  await writeFile(file, 'not a key')
  await configureForge(fixture, forge, { token_env: undefined, app: { id: 1, private_key: file } })
  const refused = errorOf(await world.land())
  expect(refused).toMatchObject({ exitCode: 2, code: 'no_forge_token', message: expect.stringContaining(file) })
  expect(forge.requests).toEqual([])
})
