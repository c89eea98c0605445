import { execFile } from 'node:child_process'
import { writeFile as writeToDisk } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { RunDetail } from '../../../src/api/runs.ts'
import { serveHere } from '../../server/served.ts'
import { conversationOf } from '../world/conversation.ts'
import { greenStory, type Lanes, planned, reply, type StoryInput, submit, writeFile } from '../world/crew.ts'
import { statesOf } from '../world/crew-script.ts'
import { call, resultOf, runHere } from '../world/fixture.ts'
import { addRepository, branch, buildSeveral, createSeveral, ownBranches, writeSpec } from '../world/several.ts'

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
  await writeToDisk(join(client.path, 'mine.txt'), 'mine\n')
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
  expect([built.exitCode, statesOf(built)], built.stderr).toEqual([0, { server: 'DONE', client: 'DONE' }])
  expect(await fixture.git('show', `${branch}:server.txt`)).toBe('server')
  expect(await client.git('show', `${branch}:client.txt`)).toBe('client')
  expect(await client.git('rev-parse', `${branch}~1`)).toBe(before)
  expect(await client.git('status', '--porcelain')).toBe('?? mine.txt')
  expect(built.events).toContainEqual(expect.objectContaining({ type: 'uncommitted', files: ['client: mine.txt'] }))
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

  const crew = conversationOf(fixture, built)
  const [file, list] = await crew.results('editor/client/CODING')
  expect([file?.output, list?.output]).toEqual([
    expect.stringContaining('server'),
    expect.stringContaining('/repositories/repo/server.txt'),
  ])
  expect(await crew.prompt('editor/client/CODING')).toContain('/repositories/repo')
  expect(await crew.prompt('architect/SCOPING')).toContain('- client: `/repositories/client`')
  for (const path of [fixture.repo, client.path]) {
    const args = ['receipt', 'verify', branch, '--json', '--repo', path]
    const receipt = await runHere(args, fixture.env)
    expect(receipt.exitCode, receipt.stderr + receipt.stdout).toBe(0)
  }
  expect(await client.git('notes', '--ref=drydock', 'list')).not.toContain('\n')

  const served = await serveHere(fixture)
  onTestFinished(served.close)
  const { repositories } = await served.page.get<RunDetail>(`/api/runs/${crew.run}`)
  expect(repositories).toMatchObject([
    { name: 'repo', url: null, branch },
    { name: 'client', branch, sha: await client.git('rev-parse', branch) },
  ])

  const report = (await fixture.drydock('report', crew.run)).stdout
  expect(report).toContain(`Repository client (${client.path})`)
  expect(report).toContain('### client: [client] Make client')
  const diff = (await fixture.drydock('diff', crew.run)).stdout
  expect(diff).toMatch(/b\/repo\/server.txt\n[\s\S]*\+server[\s\S]*b\/client\/client.txt\n[\s\S]*\+client/)

  const land = await fixture.drydock('land', crew.run, '--onto', 'main')
  expect([land.exitCode, land.stderr]).toEqual([2, expect.stringContaining('over several repositories')])
  const review = await fixture.drydock('review', `${crew.run}/client`, '--comment', '.', 'Say more.')
  expect([review.exitCode, review.stderr]).toEqual([2, expect.stringContaining('belongs to the repository client')])
  const restored = await fixture.drydock('restore', `${crew.run}/client`, '--branch', 'again')
  expect([restored.exitCode, restored.stdout]).toEqual([
    0,
    expect.stringContaining(`git -C ${client.path} switch again`),
  ])
  expect(await client.git('show', 'again:client.txt')).toBe('client')
})

test('what a repository lacks is said before anything is stored, with the place', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  await addRepository(fixture, 'bare-of-config', { verification: null })
  await addRepository(fixture, 'other/client')
  await client.git('worktree', 'add', '-q', join(fixture.folder, 'tree'), '-b', 'tree')
  await promisify(execFile)('git', ['init', '-q', join(fixture.folder, 'unborn')])
  const refused: readonly (readonly [string, RegExp])[] = [
    ['repositories:\n  - ../bare-of-config', /bare-of-config[\s\S]*drydock init/],
    ['repositories:\n  - ../unborn', /unborn[\s\S]*no commits/],
    ['repositories:\n  - ../nowhere', /nowhere/],
    ['repositories:\n  - .', /the same repository twice/],
    ['repositories:\n  - ../client\n  - ../tree', /the same repository twice/],
    ['repositories:\n  - ../client\n  - ../other/client', /Two repositories of the spec have the name client/],
    ['repositories:\n  "../up": ../client', /cannot be the name/],
    ['repositories:\n  - https://me:secret@example.org/client.git', /has a user name or a password/],
    ['repositories:\n  - ext::sh -c true', /neither a path nor a URL/],
    ['repositories:\n  - "-oProxyCommand=true:client"', /neither a path nor a URL/],
    ['repositories:\n  - git://example.org/client.git', /neither a path nor a URL/],
    ['repositories: 7', /neither a list/],
    ['repositories: [', /names repositories, but/],
  ]
  const model = await fixture.replay({})
  for (const [front, said] of refused) {
    const spec = await writeSpec(fixture, front)
    const run = await fixture.drydock('run', spec, '--model', model, '--no-wait')
    expect([run.exitCode, run.stderr], front).toEqual([2, expect.stringMatching(said)])
  }
  expect((await fixture.drydock('status')).stdout).not.toContain('make-the-files')
})
