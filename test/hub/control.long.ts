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
    ...['refs/heads/mine', 'refs/heads/main', 'refs/tags/mine', 'refs/notes/drydock', 'refs/user/HEAD', 'refs/mine'],
    ...[`refs/user/commits/${sha}`, `refs/drydock/proofs/one`, `refs/drydock/landings/run-1/1`, 'refs/drydock/mine'],
    ...['snapshots', 'candidates', 'looks', 'merges'].flatMap((kind) =>
      [story, 'run-1/beta', 'run-1', 'run-1/alpha/1'].map((of) => `refs/drydock/${kind}/${of}/1`),
    ),
    ...[`refs/drydock/pushed/who/${sha}`, `refs/drydock/pushed/who/${other}`, `refs/drydock/pushed/ada/${sha}`],
    ...[`refs/drydock/pushed/who/x/${sha}`, `refs/drydock/snapshots/${story}/.1`],
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

test('of six who push different commits to one ref, one wins', async () => {
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
