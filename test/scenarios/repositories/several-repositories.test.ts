import { expect, onTestFinished, test } from 'vitest'
import { greenStory, type Lanes, planned, reply, type StoryInput, submit, writeFile } from '../world/crew.ts'
import { statesOf } from '../world/crew-script.ts'
import { call, resultOf } from '../world/fixture.ts'
import { branch, buildSeveral, createSeveral, ownBranches } from '../world/several.ts'

interface Placed extends StoryInput {
  readonly repository?: string
}

const lanesFor = (...stories: readonly Placed[]): Lanes => ({
  'architect/SCOPING': [reply('Two small repositories.')],
  'architect/STORY_GENERATION': [call('submit_stories', { stories: stories.map(planned) })],
  ...Object.assign({}, ...stories.map(({ id }) => greenStory(id))),
})

/** The client needs what the server's story has made. */
const crossing = [{ id: 'server' }, { id: 'client', repository: 'client', depends_on: ['server'] }] as const

test('stories of two repositories with a dependency across land in both, each with its receipt, and not before the end', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const before = await client.git('rev-parse', 'HEAD')
  const built = await buildSeveral(fixture, {
    lanes: {
      ...lanesFor(...crossing),
      'editor/client/CODING': [
        call('read_file', { path: '/repositories/repo/server.txt' }),
        call('list_files', { pattern: '/repositories/repo/**' }),
        writeFile('client.txt', 'client\n'),
        submit('client'),
      ],
    },
  })
  expect([built.exitCode, built.stderr, statesOf(built)]).toEqual([0, '', { server: 'DONE', client: 'DONE' }])
  expect(await fixture.git('show', `${branch}:server.txt`)).toBe('server')
  expect(await client.git('show', `${branch}:client.txt`)).toBe('client')
  expect(await client.git('rev-parse', `${branch}~1`)).toBe(before)
  expect(await client.git('status', '--porcelain')).toBe('')
  expect(await ownBranches(fixture)).toBe(branch)
  expect(resultOf(built)).toMatchObject({
    repositories: [
      { name: 'repo', branch, sha: await fixture.git('rev-parse', branch) },
      { name: 'client', branch, sha: await client.git('rev-parse', branch) },
    ],
  })
  const landed = built.events.findIndex(({ type }) => type === 'landed')
  const merges = built.events.flatMap(({ type, state }, i) => (type === 'merge' && state === 'MERGED' ? [i] : []))
  expect(merges).toHaveLength(2)
  expect(landed).toBeGreaterThan(Math.max(...merges))
})
