import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFiles } from '../adapters/git/git-world.ts'
import { controlWorld } from './control-world.ts'

test('a commit is fetched by its id, and a client pushes one below its own name', async () => {
  const world = await controlWorld()
  const ada = await world.hub.token('ada', 'operator')
  const clone = join(world.top, 'clone')
  const cloned = await world.gitAs(ada, ['clone', '--quiet', world.url, clone])
  expect(cloned).toMatchObject({ code: 0 })
  expect(world.gitIn(clone, 'rev-parse', 'origin/main')).toBe(world.tip)

  writeFiles(world.repository, { 'new.txt': 'new\n' })
  const sha = world.commitAll('not there yet')
  const pushed = await world.gitAs(ada, ['push', '--quiet', world.url, `${sha}:refs/drydock/pushed/ada/${sha}`])
  expect(pushed).toMatchObject({ code: 0 })
  expect(world.at(`refs/drydock/pushed/ada/${sha}`)).toBe(sha)
  const fetched = await world.gitAs(ada, ['-C', clone, 'fetch', '--quiet', world.url, `${sha}:refs/heads/mine`])
  expect(fetched).toMatchObject({ code: 0 })
  expect(world.gitIn(clone, 'rev-parse', 'mine')).toBe(sha)

  const refused = await world.gitAs(ada, ['push', '--quiet', world.url, `${sha}:refs/heads/main`])
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('[remote rejected]')
  expect(refused.err).toContain('(not yours to push)')
  expect(world.at('refs/heads/main')).toBe(world.tip)
})
