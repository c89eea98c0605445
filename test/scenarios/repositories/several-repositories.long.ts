import { execFile } from 'node:child_process'
import { readFile, writeFile as writeToDisk } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import type { RunDetail } from '../../../src/api/runs.ts'
import { serveHere } from '../../server/served.ts'
import { conversationOf } from '../world/conversation.ts'
import {
  approve,
  greenStory,
  type Lanes,
  planned,
  reject,
  reply,
  type StoryInput,
  submit,
  writeFile,
} from '../world/crew.ts'
import { replyAndResume, statesOf, writeScript } from '../world/crew-script.ts'
import { endOf } from '../world/end-of.ts'
import { call, resultOf, runHere } from '../world/fixture.ts'
import { interruptWhen, machineIn } from '../world/interrupt.ts'
import {
  addRepository,
  branch,
  buildSeveral,
  createSeveral,
  ownBranches,
  storedSeveral,
  writeSpec,
} from '../world/several.ts'

const lanesFor = (...stories: readonly StoryInput[]): Lanes => ({
  'architect/SCOPING': [reply('Two small repositories.')],
  'architect/STORY_GENERATION': [call('submit_stories', { stories: stories.map(planned) })],
  ...Object.assign({}, ...stories.map(({ id }) => greenStory(id))),
})

/** The client needs the result of the server's story. */
const crossing = [{ id: 'server' }, { id: 'client', repository: 'client', depends_on: ['server'] }] as const

const nothingLanded = 'It was cancelled, and nothing landed in any repository. Its changes are kept.'

/** The lanes of a story that starts again. */
const retried = (id: string): Lanes =>
  Object.fromEntries(Object.entries(greenStory(id)).map(([lane, turns]) => [lane.replace(`/${id}`, `/${id}@2`), turns]))

test('a remark on a story of another repository holds it there', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const remarks = [{ id: 'F-1', settled: true, reply: 'It says two.' }]
  const lanes = {
    ...lanesFor(...crossing),
    'editor/client/CODING': [
      writeFile('client.txt', 'client, two\n'),
      call('submit_change', { summary: 'Make client', remarks }),
    ],
    'architect/REQUEST/code/client/1': [approve({ settled: ['F-1'] })],
  }
  const run = await storedSeveral(fixture, { lanes }, crossing)
  await interruptWhen(fixture, run, machineIn('story', 'CODING', 'client'), 1)
  const review = (...args: string[]) => fixture.drydock('review', ...args, '--json')
  const whole = await review(run, '--comment', '.', 'Say two.')
  expect([whole.exitCode, whole.events.at(-1)?.message]).toEqual([2, expect.stringContaining('several repositories')])
  expect(await review(`${run}/client`, '--comment', 'server.txt:1', 'Say two.')).toMatchObject({ exitCode: 2 })
  expect(await review(`${run}/client`, '--comment', 'value.txt:1', 'Say two.')).toMatchObject({ exitCode: 0 })
  const done = await fixture.drydock('resume', '--json', '--no-wait')
  expect([done.exitCode, statesOf(done)], done.stderr).toEqual([0, { server: 'DONE', client: 'DONE' }])
  const shown = (await review(run)).events.filter((event) => event.type === 'remark' && 'text' in event)
  expect(shown).toMatchObject([
    { id: 'F-1', state: 'SETTLED', commit: await client.git('rev-parse', branch), reply: 'It says two.' },
  ])
  expect(await client.git('show', `${branch}:client.txt`)).toBe('client, two')
})

test('a landing that is killed before each of its commits moves every branch, once', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const run = await storedSeveral(fixture, { lanes: lanesFor(...crossing) }, crossing)
  const met = join(fixture.folder, 'met')
  const args = [run, branch, met, fixture.repo, client.path]
  const ends: (string | number | null)[] = []
  while (ends.at(-1) !== 0 && ends.length < 12) ends.push(await endOf(fixture, 'killable-landing.ts', ...args))
  const moments = (await readFile(met, 'utf8')).trim().split('\n')
  expect(moments).toEqual([
    '["MONITORING",null,[false,false]]',
    '["MONITORING",[false,false],[false,false]]',
    '["MONITORING",[true,false],[true,false]]',
    '["MONITORING",[true,true],[true,true]]',
    '["DONE",[true,true],[true,true]]',
  ])
  expect(ends).toEqual([...moments.map(() => 'SIGKILL'), 0])
  expect(await fixture.git('show', `${branch}:server.txt`)).toBe('server')
  expect(await client.git('show', `${branch}:client.txt`)).toBe('client')
  for (const { git } of [fixture, client])
    expect((await git('notes', '--ref=drydock', 'list')).split('\n')).toHaveLength(1)
})

test('each repository is verified by its own configuration, with dependencies that it has made itself', async () => {
  const prepare = { name: 'deps', command: 'mkdir deps && cp value.txt deps', inputs: [], outputs: ['deps'] }
  const own = { name: 'own', command: 'cmp deps/value.txt value.txt', timeout_sec: 120 }
  const verification = { prepare: [prepare], steps: [own] }
  const files = { '.drydock/config.json': JSON.stringify({ verification }) }
  const other = { ...verification, steps: [own, { name: 'other', command: 'grep client value.txt', timeout_sec: 120 }] }
  const { fixture, client } = await createSeveral({ files, ofClient: { verification: other } })
  onTestFinished(() => fixture.remove())
  const built = await buildSeveral(fixture, { lanes: lanesFor(...crossing) })
  expect([built.exitCode, statesOf(built)], built.stderr).toEqual([0, { server: 'DONE', client: 'DONE' }])
  const steps = async (path: string) => {
    const shown = await runHere(['receipt', 'show', branch, '--repo', path], fixture.env)
    return [...shown.stdout.matchAll(/^ *(own|other): /gm)].map(([, name]) => name)
  }
  expect([await steps(fixture.repo), await steps(client.path)]).toEqual([['own'], ['own', 'other']])
  expect(await fixture.git('show', `${branch}:server.txt`)).toBe('server')
})

test('when one story is skipped nothing lands anywhere, and a retry of it lands all', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const lanes = { ...lanesFor(...crossing), 'architect/REQUEST/code/client/1': [reject()] }
  const asked = await buildSeveral(fixture, { lanes })
  expect(asked.exitCode, asked.stderr).toBe(6)
  const skipped = await replyAndResume(fixture, asked, 'skip')
  expect([skipped.exitCode, statesOf(skipped)]).toEqual([5, { server: 'DONE', client: 'CANCELLED' }])
  expect(resultOf(skipped)).toMatchObject({ status: 'CANCELLED', branch: null, outcome: { sentence: nothingLanded } })
  expect([await ownBranches(fixture), await ownBranches(client)]).toEqual(['', ''])
  expect(await fixture.git('for-each-ref', 'refs/notes/')).toBe('')

  const again = { ...lanesFor(...crossing), ...retried('client') }
  const model = await writeScript(fixture, { lanes: again })
  const { run } = conversationOf(fixture, asked)
  const done = await fixture.drydock('retry', run, '--model', model, '--json', '--no-wait')
  expect([done.exitCode, statesOf(done)], done.stderr).toEqual([0, { server: 'DONE', client: 'DONE' }])
  expect([await ownBranches(fixture), await ownBranches(client)]).toEqual([branch, branch])
})

test('a branch that was taken meanwhile keeps all branches unmoved, and resume continues', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const lanes = lanesFor(...crossing)
  const asked = await buildSeveral(fixture, { lanes }, '--review-stories')
  expect(asked.exitCode, asked.stderr).toBe(6)
  await client.git('branch', branch)
  const stopped = await replyAndResume(fixture, asked, 'approve')
  expect(resultOf(stopped)).toMatchObject({
    status: 'ERROR',
    error: { code: 'landing_stopped', message: expect.stringMatching(/client.*No branch was moved.*repo, client/s) },
  })
  expect([await ownBranches(fixture), await ownBranches(client)]).toEqual(['', branch])
  await client.git('branch', '--move', branch, 'mine')
  const done = await fixture.drydock('resume', '--json', '--no-wait')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(await client.git('show', `${branch}:client.txt`)).toBe('client')
  expect(await fixture.git('show', `${branch}:server.txt`)).toBe('server')
})

test('a landing that stops in the middle reports the moved and the remaining branches; after a cancel, a retry of the run completes it', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const run = await storedSeveral(fixture, { lanes: lanesFor(...crossing) }, crossing)
  const met = join(fixture.folder, 'met')
  await writeToDisk(met, '["MONITORING",null,[false,false]]\n["MONITORING",[false,false],[false,false]]\n')
  expect(await endOf(fixture, 'killable-landing.ts', run, branch, met, fixture.repo, client.path)).toBe('SIGKILL')
  await client.git('branch', branch)
  const stopped = await fixture.drydock('resume', '--json', '--no-wait')
  expect(resultOf(stopped)).toMatchObject({
    error: { code: 'landing_stopped', message: expect.stringMatching(/Moved: repo\. Not moved: client\.$/) },
  })
  const cancelled = await fixture.drydock('cancel', run, '--json')
  expect([cancelled.exitCode, await ownBranches(fixture)], cancelled.stderr).toEqual([5, branch])
  expect((await fixture.drydock('report', run)).stdout).toMatch(
    /Repository repo .* on the branch[\s\S]*Repository client .* not landed/,
  )
  await client.git('branch', '--move', branch, 'mine')
  const landed = await fixture.drydock('retry', run, '--json', '--no-wait')
  expect([landed.exitCode, resultOf(landed)], landed.stderr).toMatchObject([0, { status: 'DONE' }])
  expect(await client.git('show', `${branch}:client.txt`)).toBe('client')
})

test('a remark on a story of another repository that is merged is refused when the run has ended, with the place to go', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const lanes = {
    ...lanesFor({ id: 'server' }, { id: 'client', repository: 'client' }),
    ...retried('server'),
    'architect/REQUEST/code/server/1': [reject()],
  }
  const asked = await buildSeveral(fixture, { lanes })
  expect(asked.exitCode, asked.stderr).toBe(6)
  const { run } = conversationOf(fixture, asked)
  const say = (text: string) => fixture.drydock('review', `${run}/client`, '--comment', 'client.txt:1', text, '--json')
  expect((await say('Say more.')).exitCode).toBe(0)
  const built = await replyAndResume(fixture, asked, 'retry')
  expect([built.exitCode, statesOf(built)], built.stderr).toEqual([0, { server: 'DONE', client: 'DONE' }])
  const place = `Start a task in ${client.path}: drydock task "…" --target ${branch}`
  const shown = await fixture.drydock('review', run, '--json')
  expect(shown.events).toMatchObject([{ type: 'remark', state: 'REFUSED', reply: expect.stringContaining(place) }])
  const late = await say('Say even more.')
  expect([late.exitCode, late.stderr]).toEqual([2, expect.stringContaining(place)])
  expect((await fixture.drydock('status')).stdout).not.toContain('review-')
})

test('a folder with a dot, a detached HEAD and a shallow clone are repositories like any other', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  await client.git('commit', '-q', '--allow-empty', '-m', 'later')
  const clone = join(fixture.folder, '.shallow..clone')
  await client.git('clone', '-q', '--depth=1', `file://${client.path}`, clone)
  await client.git('-C', clone, 'checkout', '-q', '--detach')
  const lanes = lanesFor({ id: 'server' }, { id: 'client', repository: 'shallow' })
  const spec = await writeSpec(fixture, 'repositories: { shallow: ../.shallow..clone }')
  const model = await writeScript(fixture, { lanes })
  const built = await fixture.drydock('run', spec, '--model', model, '--json', '--no-wait')
  expect(built.exitCode, built.stderr).toBe(0)
  expect(await client.git('-C', clone, 'show', `${branch}:client.txt`)).toBe('client')
})

test('a repository inside of another is one like any other', async () => {
  const { fixture } = await createSeveral()
  onTestFinished(() => fixture.remove())
  await addRepository(fixture, 'repo/inside')
  const lanes = lanesFor({ id: 'server' }, { id: 'client', repository: 'inside' })
  const [spec, played] = [await writeSpec(fixture, 'repositories:\n  - inside'), await writeScript(fixture, { lanes })]
  const built = await fixture.drydock('run', spec, '--model', played, '--json', '--no-wait')
  expect(built.exitCode, built.stderr).toBe(0)
})

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

test('a missing part of a repository is reported before anything is stored, with the place', async () => {
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
