import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isHostOf, refFolders, refusedChange } from '../../src/domain/hub/ref-rights.ts'
import { roles } from '../../src/domain/hub/role.ts'
import { controlWorld } from './control-world.ts'

const story = 'run-1/alpha'

test('a commit is fetched by its id, and a client pushes one below its own name', async () => {
  const world = await controlWorld()
  const ada = await world.hub.token('ada', 'operator')
  const clone = join(world.top, 'clone')
  const cloned = await world.gitAs(ada, ['clone', '--quiet', world.url, clone])
  expect(cloned).toMatchObject({ code: 0 })
  expect(world.gitIn(clone, 'rev-parse', 'origin/main')).toBe(world.tip)

  const sha = world.fresh()
  const pushed = await world.gitAs(ada, ['push', '--quiet', world.url, `${sha}:refs/drydock/pushed/ada/${sha}`])
  expect(pushed).toMatchObject({ code: 0 })
  expect(world.at(`refs/drydock/pushed/ada/${sha}`)).toBe(sha)
  for (const version of ['0', '1', '2']) {
    const asking = ['-c', `protocol.version=${version}`, '-C', clone, 'fetch', '--quiet', world.url]
    const fetched = await world.gitAs(ada, [...asking, `+${sha}:refs/heads/by-${version}`])
    expect(fetched).toMatchObject({ code: 0 })
    expect(world.gitIn(clone, 'rev-parse', `by-${version}`)).toBe(sha)
  }
})

test('each role may push to the refs of the table, and to no other', () => {
  const sha = 'a'.repeat(40)
  const other = 'f'.repeat(40)
  const refs = [
    'refs/heads/mine',
    'refs/heads/main',
    'refs/tags/mine',
    'refs/notes/drydock',
    'refs/user/HEAD',
    'refs/mine',
    `refs/user/commits/${sha}`,
    `refs/drydock/proofs/one`,
    `refs/drydock/landings/run-1/1`,
    'refs/drydock/mine',
    ...['snapshots', 'candidates', 'looks', 'merges'].flatMap((kind) =>
      [story, 'run-1/beta', 'run-1', 'run-1/alpha/1'].map((of) => `refs/drydock/${kind}/${of}/1`),
    ),
    `refs/drydock/pushed/who/${sha}`,
    `refs/drydock/pushed/who/${other}`,
    `refs/drydock/pushed/ada/${sha}`,
    `refs/drydock/pushed/who/x/${sha}`,
    `refs/drydock/snapshots/${story}/.1`,
  ]
  const allowed = roles.flatMap((role) => {
    const name = role === 'worker' ? 'north' : 'who'
    const folders = refFolders({ name, role, stories: role === 'worker' ? [story] : [] })
    const may = refs.filter((ref) => refusedChange(folders, { ref, from: null, to: sha }) === null)
    return may.map((ref) => `${role} ${ref.replace(sha, '<sha>')}`)
  })
  expect(allowed).toEqual([
    'operator refs/drydock/pushed/who/<sha>',
    'admin refs/drydock/pushed/who/<sha>',
    `worker refs/drydock/snapshots/${story}/1`,
    `worker refs/drydock/candidates/${story}/1`,
    `worker refs/drydock/looks/${story}/1`,
  ])
})

test('the hub goes by the table: of each role one ref is taken or refused', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const sha = world.fresh()
  const tokens = new Map<string, string>()
  for (const [role, name, ref, isAllowed] of [
    ['viewer', 'vi', `refs/drydock/pushed/vi/${sha}`, false],
    ['operator', 'op', `refs/drydock/pushed/op/${sha}`, true],
    ['operator', 'op', 'refs/heads/main', false],
    ['worker', 'north', `refs/drydock/snapshots/${story}/1`, true],
    ['worker', 'north', 'refs/drydock/snapshots/run-1/beta/1', false],
  ] as const) {
    const token = await world.hub.token(name, role).catch(() => tokens.get(name) ?? '')
    tokens.set(name, token)
    const { code } = await world.gitAs(token, ['push', '--quiet', world.url, `+${sha}:${ref}`], name)
    expect(`${role} ${ref} ${code === 0} ${world.at(ref) === sha}`).toBe(`${role} ${ref} ${isAllowed} ${isAllowed}`)
  }
})

test('a token named like the hub’s own host does not speak for it, but stays valid for hosts below its name', () => {
  expect(isHostOf('local', 'local')).toBe(false)
  expect(isHostOf('local/box-0123abcd', 'local')).toBe(true)
  expect(isHostOf('north', 'north')).toBe(true)
})
