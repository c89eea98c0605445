import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import {
  approve,
  build,
  createCrewFixture,
  greenStory,
  reply,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import { answer, type CrewConversation, crewOf, say, stuckTurn } from '../scenarios/world/crew-conversation.ts'
import { type CommandResult, call, type Fixture, resultOf } from '../scenarios/world/fixture.ts'

const own = { coder_id: '${coder_id}' }
const other = { coder_id: 'coder-002' }
const mebibyte = 1_048_576
const large = 'line\n'.repeat(20_000)

const leaks = `ln -s ../coder-002/two.txt near; ln -s /mnt/coders/coder-002/two.txt far; ln -s /mnt/coders/coder-002 folder
ln -s /mnt/mirror/HEAD mirror; ln -s .env harmless; echo more > untracked.txt; ln untracked.txt twin.txt`

/**
 * The architect's attempts when it is asked about story one in coder-001, while story two waits in
 * coder-002.
 */
const tries = (commits: { readonly base: string; readonly earlier: string; readonly foreign: string }) => ({
  file: call('read_file', { path: 'one.txt', ...own }),
  untracked: call('search_files', { pattern: '^uncommitted', ...own }),
  listed: call('list_files', { pattern: '*.txt', ...own }),
  largest: call('read_file', { path: 'big/largest.bin', limit: 1, ...own }),
  tooLarge: call('read_file', { path: 'big/too-large.bin', ...own }),
  many: call('list_files', { pattern: 'many/*', ...own }),
  secret: call('read_file', { path: '.env', ...own }),
  linkToSecret: call('read_file', { path: 'harmless', ...own }),
  searchSecret: call('search_files', { pattern: 'planted-canary', ...own }),

  otherFile: call('read_file', { path: 'two.txt', ...other }),
  otherList: call('list_files', { pattern: '*', ...other }),
  otherSearch: call('search_files', { pattern: '.', ...other }),
  otherDiff: call('get_diff', other),
  above: call('read_file', { path: 'two.txt', coder_id: '../coder-002' }),
  aboveOwn: call('read_file', { path: 'two.txt', coder_id: 'coder-001/../coder-002' }),
  noCoder: call('read_file', { path: 'HEAD', coder_id: 'mirror' }),

  dots: call('read_file', { path: '../coder-002/two.txt', ...own }),
  dotsToMirror: call('read_file', { path: '../../mirror/HEAD', ...own }),
  absolute: call('read_file', { path: '/mnt/coders/coder-002/two.txt', ...own }),
  absoluteMirror: call('read_file', { path: '/mnt/mirror/HEAD', ...own }),
  near: call('read_file', { path: 'near', ...own }),
  far: call('read_file', { path: 'far', ...own }),
  throughFolder: call('read_file', { path: 'folder/two.txt', ...own }),
  mirror: call('read_file', { path: 'mirror', ...own }),
  twin: call('read_file', { path: 'twin.txt', ...own }),
  hardLink: call('read_file', { path: 'hard.txt', ...own }),
  listDots: call('list_files', { pattern: '../coder-002/*', ...own }),
  listFolder: call('list_files', { pattern: 'folder/*', ...own }),
  searchAll: call('search_files', { pattern: 'story-two-word', ...own }),
  searchDots: call('search_files', { pattern: 'story-two-word', glob: '../**', ...own }),
  diffDots: call('get_diff', { path: '../coder-002/two.txt', ...own }),

  tip: call('read_file', { path: 'value.txt' }),
  tipWithoutIt: call('read_file', { path: 'one.txt' }),
  tipList: call('list_files', { pattern: '*.txt' }),
  tipMany: call('list_files', { pattern: 'many/*' }),
  tipTooLarge: call('read_file', { path: 'big/too-large.bin' }),
  tipSecret: call('read_file', { path: '.env' }),
  tipSearchSecret: call('search_files', { pattern: 'planted-canary' }),
  tipAbsolute: call('read_file', { path: '/mnt/coders/coder-001/one.txt' }),
  tipDots: call('list_files', { pattern: '../*' }),

  diff: call('get_diff', own),
  diffOfOne: call('get_diff', { path: 'one.txt', ...own }),
  diffToItself: call('get_diff', { base: '${sha}', ...own }),
  diffToBase: call('get_diff', { base: commits.base, path: 'one.txt', ...own }),
  diffToEarlier: call('get_diff', { base: commits.earlier, path: 'one.txt', ...own }),
  diffToForeign: call('get_diff', { base: commits.foreign, ...own }),
  diffToOption: call('get_diff', { base: '--output=/tmp/owned', ...own }),
  diffToRef: call('get_diff', { base: 'refs/heads/main', ...own }),
})

type Names = keyof ReturnType<typeof tries>

let fixture: Fixture
let done: CommandResult
let crew: CrewConversation
let got: Readonly<Record<Names, ToolResult>>
let commits: { readonly base: string; readonly earlier: string; readonly foreign: string }
let sha: string

const lanes = {
  ...specLanes('one', 'two', { id: 'late', depends_on: ['one'] }),
  ...greenStory('one'),
  ...greenStory('two'),
  ...greenStory('late'),
  'architect/SCOPING': [call('read_file', { path: 'value.txt', coder_id: 'coder-001' }), reply('A repository.')],
  'architect/REQUEST/plan/late/1': [call('read_file', { path: 'one.txt' }), approve()],
}

/**
 * Both editors have written and wait for a human, so that a hard link from one workspace to the
 * other can be planted in the meantime.
 */
beforeAll(async () => {
  const many = Array.from({ length: limits.listResults + 5 }, (_, i) => [`many/${i}`, ''] as const)
  fixture = await createCrewFixture({
    files: {
      ...Object.fromEntries(many),
      '.env': 'KEY=planted-canary\n',
      'big/largest.bin': `first\n${'x'.repeat(mebibyte - 6)}`,
      'big/too-large.bin': 'x'.repeat(mebibyte + 1),
    },
  })
  const writing = [writeFile('one.txt', 'draft\n'), call('ask_architect', { question: 'So far?' })]
  const first = await build(
    fixture,
    {
      ...lanes,
      'editor/one/CODING': [
        ...writing,
        writeFile('one.txt', 'uncommitted\n'),
        call('run_command', { command: leaks }),
        writeFile('large.txt', large),
        call('ask_architect', { question: 'Is it right?' }),
      ],
      'architect/REQUEST/question/one/1': [reply('Go on.')],
      'editor/two/CODING': [writeFile('two.txt', 'story-two-word\n'), call('ask_architect', { question: 'And me?' })],
      'architect/REQUEST/question/one/2': [stuckTurn],
      'architect/REQUEST/question/two/1': [stuckTurn],
    },
    '--max-coders',
    '2',
  )
  expect(first.exitCode, first.stdout + first.stderr).toBe(6)
  crew = crewOf(fixture, first)
  const { workTrees } = await fixture.open()
  await link(join(workTrees.path('coder-002'), 'two.txt'), join(workTrees.path('coder-001'), 'hard.txt'))
  commits = {
    base: await fixture.git('rev-parse', 'main'),
    earlier: (await crew.request('question', 'one')).data.sha,
    foreign: (await crew.request('question', 'two')).data.sha,
  }
  sha = (await crew.request('question', 'one', 2)).data.sha
  const named = tries(commits)
  const calls = Object.values(named).flatMap((turn) => (turn as { calls: object[] }).calls)
  const cleanUp = 'rm near far folder mirror harmless twin.txt hard.txt untracked.txt large.txt'
  const waits = [...writing, {}, {}, {}, {}]
  await fixture.replay({
    ...lanes,
    'editor/one/CODING': [...waits, call('run_command', { command: cleanUp }), submit('one')],
    'editor/two/CODING': [{}, {}, submit('two')],
    'architect/REQUEST/question/one/2': [stuckTurn, { calls }, reply('It is.')],
    'architect/REQUEST/question/two/1': [stuckTurn, reply('You, too.')],
  })
  await say(fixture, crew, { story: 'two', text: 'Just answer.' })
  done = await answer(fixture, crew, { story: 'one', text: 'Look at everything.' })
  const results = (await crew.results('architect/REQUEST/question/one/2')).slice(stuckTurn.calls.length)
  got = Object.fromEntries(Object.keys(named).map((name, i) => [name, results[i]])) as typeof got
})
afterAll(() => fixture.remove())

const refused = (words: string | RegExp) => ({ ok: false, output: expect.stringMatching(words) })
const shown = (output: string) => ({ ok: true, output })

describe('ArchitectReadAccess', () => {
  test('the architect reads what an editor has not committed', () => {
    expect(got.file).toMatchObject(shown('1\tuncommitted'))
    expect(got.untracked).toMatchObject(shown('one.txt:1: uncommitted'))
    expect(got.listed.output.split('\n')).toEqual(expect.arrayContaining(['one.txt', 'untracked.txt', 'value.txt']))
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  })

  test('another coder’s workspace is refused by every tool', () => {
    const words = 'This request is not about coder-002. You can read only coder-001.'
    for (const name of ['otherFile', 'otherList', 'otherSearch', 'otherDiff'] as const)
      expect(got[name], name).toMatchObject({ ok: false, output: words })
    for (const name of ['above', 'aboveOwn', 'noCoder'] as const)
      expect(got[name], name).toMatchObject(refused('You can read only coder-001'))
  })

  test('no path, link or second name of a file leads out of the workspace', () => {
    const out = [
      'dots',
      'dotsToMirror',
      'absolute',
      'absoluteMirror',
      'near',
      'far',
      'throughFolder',
      'mirror',
    ] as const
    for (const name of out) expect(got[name], name).toMatchObject(refused('leads out of the workspace'))
    for (const name of ['twin', 'hardLink'] as const) expect(got[name], name).toMatchObject(refused(/link|names/))
    for (const name of Object.keys(got) as Names[]) expect(got[name].output, name).not.toContain('story-two-word\n')
    expect(got.diffDots).toMatchObject(refused('leads out of the repository'))
    for (const name of ['listDots', 'listFolder', 'searchAll', 'searchDots'] as const)
      expect(got[name].output, name).not.toMatch(/two\.txt|1: story-two/)
  })

  test('without a coder the tip of the run branch is read, and the merged work once it is there', async () => {
    expect(got.tip).toMatchObject(shown('1\told'))
    expect(got.tipWithoutIt).toMatchObject(refused('no such file'))
    expect(got.tipList).toMatchObject(shown('value.txt'))
    expect(got.tipAbsolute).toMatchObject({ ok: false })
    expect(got.tipDots.output).not.toContain('coder')
    const [merged] = await crew.results('architect/REQUEST/plan/late/1')
    expect(merged).toMatchObject(shown('1\tuncommitted'))
  })

  test('while the spec is read there is no workspace', async () => {
    expect(await crew.results('architect/SCOPING')).toMatchObject([refused('you can read no workspace')])
  })

  test('files that hold secrets are refused, in a workspace and in a commit', () => {
    for (const name of ['secret', 'linkToSecret', 'tipSecret'] as const)
      expect(got[name], name).toMatchObject(refused('hold(s)? secrets'))
    for (const name of ['searchSecret', 'tipSearchSecret'] as const)
      expect(got[name], name).toMatchObject(shown('(no match)'))
  })

  test('a file has at most a mebibyte, and a list a thousand results', () => {
    expect(got.largest).toMatchObject(shown('1\tfirst\n(lines 1-1 of 2; continue with offset 2)'))
    for (const name of ['tooLarge', 'tipTooLarge'] as const)
      expect(got[name], name).toMatchObject(refused('1048577 bytes; at most 1048576 are read'))
    for (const name of ['many', 'tipMany'] as const) {
      const lines = got[name].output.split('\n')
      expect([lines.length, lines.at(-1)], name).toEqual([1_001, '(cut at 1000; use a narrower pattern)'])
    }
  })
})

describe('get_diff of a request', () => {
  const head = (from: string, truncated: boolean) => `base ${from}\nsnapshot ${sha}\ntruncated ${truncated}\n`

  test('names both commits, which the mirror keeps, and whether it is cut', async () => {
    expect(got.diff.output.startsWith(head(commits.base, true))).toBe(true)
    expect(got.diffOfOne.output.startsWith(head(commits.base, false))).toBe(true)
    expect(got.diffOfOne.output).toContain('+uncommitted')
    const { state } = await fixture.open()
    for (const commit of [commits.base, sha])
      expect(await fixture.git('--git-dir', join(state, 'mirror.git'), 'cat-file', '-t', commit)).toBe('commit')
  })

  test('compares with an earlier commit of the story', () => {
    expect(got.diffToItself).toMatchObject(shown(`${head(sha, false)}(no change)`))
    expect(got.diffToBase).toMatchObject(shown(got.diffOfOne.output))
    expect(got.diffToEarlier.output.startsWith(head(commits.earlier, false))).toBe(true)
    expect(got.diffToEarlier.output).toContain('-draft\n+uncommitted')
  })

  test('refuses every other commit', () => {
    for (const name of ['diffToForeign', 'diffToOption', 'diffToRef'] as const)
      expect(got[name], name).toMatchObject(refused('is not an earlier commit of this work'))
  })
})
