import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refFolders, refusedChange } from '../../src/domain/hub/ref-rights.ts'
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
    ...['refs/heads/mine', 'refs/heads/main', 'refs/tags/mine', 'refs/notes/drydock', 'refs/user/HEAD', 'refs/mine'],
    ...[`refs/user/commits/${sha}`, `refs/drydock/proofs/one`, `refs/drydock/landings/run-1/1`, 'refs/drydock/mine'],
    ...['snapshots', 'candidates', 'looks', 'merges'].flatMap((kind) =>
      [story, 'run-1/beta', 'run-1', 'run-1/alpha/1'].map((of) => `refs/drydock/${kind}/${of}/1`),
    ),
    ...[`refs/drydock/pushed/who/${sha}`, `refs/drydock/pushed/who/${other}`, `refs/drydock/pushed/ada/${sha}`],
    ...[`refs/drydock/pushed/who/x/${sha}`, `refs/drydock/snapshots/${story}/.1`],
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

test('a ref that is written once is not overwritten, moved on or removed, and a look is replaced', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const push = async (what: string) => {
    const { code, err } = await world.gitAs(token, ['push', '--quiet', world.url, what], 'north')
    return code === 0 ? 'taken' : (/\((.*)\)/.exec(err)?.[1] ?? err)
  }
  const [first, second] = [world.fresh(), world.fresh()]
  const [kept, look] = [`refs/drydock/snapshots/${story}/1`, `refs/drydock/looks/${story}/now`]
  expect(await push(`${first}:${kept}`)).toBe('taken')
  expect(await push(`${first}:${kept}`)).toBe('taken')
  // The second is on top of the first.
  for (const change of [`${second}:${kept}`, `+${world.tip}:${kept}`])
    expect(await push(change)).toBe('it is there already')
  for (const ref of [kept, look]) expect(await push(`:${ref}`)).toMatch('nobody removes a ref here')
  expect(world.at(kept)).toBe(first)
  expect(await push(`${second}:${look}`)).toBe('taken')
  expect(await push(`+${first}:${look}`)).toBe('taken')
  expect(world.at(look)).toBe(first)
})

test('a push with one ref that is refused changes none, and keeps no object', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const sha = world.fresh()
  const refs = [`refs/drydock/snapshots/${story}/1`, 'refs/heads/main'].map((ref) => `+${sha}:${ref}`)
  const { err } = await world.gitAs(token, ['push', '--quiet', world.url, ...refs], 'north')
  expect(err).toContain('(another ref of this push is refused)')
  expect(err).toContain('(not yours to push)')
  expect(() => world.gitIn(world.mirror, 'cat-file', '-e', sha)).toThrow()
  expect(world.at('refs/heads/main')).toBe(world.tip)
  expect(world.hub.audit.at(-1)).toContain('"what":"refused","code":"push_refused","name":"north","route":"push"')
})
