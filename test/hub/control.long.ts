import { expect, test } from 'vitest'
import { type Pusher, refFolders, refusedChange } from '../../src/domain/hub/ref-rights.ts'
import { roles } from '../../src/domain/hub/role.ts'
import { controlWorld } from './control-world.ts'

const story = 'run-1/alpha'

test('each role pushes to the refs of the table, and to no other', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  world.hold('south', 'run-1/beta')
  const sha = world.fresh()
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
  const allowed: string[] = []
  for (const role of roles) {
    const name = role === 'worker' ? 'north' : 'who'
    const pusher: Pusher = { name, role, stories: role === 'worker' ? [story] : [] }
    const token = await world.hub.token(name, role)
    for (const ref of refs) {
      const isThere = world.at(ref) === '' ? null : world.at(ref)
      const isAllowed = refusedChange(refFolders(pusher), { ref, from: isThere, to: sha }) === null
      const { code, err } = await world.gitAs(token, ['push', '--quiet', world.url, `+${sha}:${ref}`], name)
      expect(`${role} ${ref} ${code === 0}\n${code === 0 ? '' : err}`).toMatch(`${role} ${ref} ${isAllowed}\n`)
      expect(world.at(ref) === sha).toBe(isAllowed)
      if (isAllowed) allowed.push(`${role} ${ref.replace(sha, '<sha>')}`)
      if (isAllowed) world.gitIn(world.mirror, 'update-ref', '-d', ref)
    }
    await world.hub.rows.deleteHubToken(name)
  }
  expect(allowed).toEqual([
    'operator refs/drydock/pushed/who/<sha>',
    'admin refs/drydock/pushed/who/<sha>',
    `worker refs/drydock/snapshots/${story}/1`,
    `worker refs/drydock/candidates/${story}/1`,
    `worker refs/drydock/looks/${story}/1`,
  ])
})

test('if six clients push different commits to one ref, one wins', async () => {
  const world = await controlWorld()
  world.hold('north', story)
  const token = await world.hub.token('north', 'worker')
  const ref = `refs/drydock/snapshots/${story}/1`
  const commits = Array.from({ length: 6 }, () => world.apart())
  const ended = await Promise.all(
    commits.map((sha) => world.gitAs(token, ['push', '--quiet', world.url, `${sha}:${ref}`], 'north')),
  )
  expect(ended.filter(({ code }) => code === 0)).toHaveLength(1)
  expect(world.at(ref)).toBe(commits[ended.findIndex(({ code }) => code === 0)])
  expect(world.gitIn(world.mirror, 'fsck', '--full', '--no-dangling')).toBe('')
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
  // The second commit is on top of the first.
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
