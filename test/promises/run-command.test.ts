import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../../src/domain/lane/message.ts'
import { limits } from '../../src/domain/limits.ts'
import { conversationOf } from '../scenarios/world/conversation.ts'
import { call, change, createFixture, type Fixture, plan } from '../scenarios/world/fixture.ts'

type Calls = Readonly<Record<string, { readonly calls: readonly { readonly tool: string; readonly input: object }[] }>>

const sh = (command: string, more: object = {}) => call('run_command', { command, ...more }) as Calls[string]
const read = (path: string, more: object = {}) => call('read_file', { path, ...more }) as Calls[string]

/** Has the shape of a key, at a place that the answer does not show. */
const key = `sk-ant-api03-${'a1B2c3D4'.repeat(11)}`

const coding = {
  link: sh('ln -s / link-out'),
  below: sh('pwd; ls', { cwd: 'docs' }),
  missing: sh('pwd', { cwd: 'no-such-folder' }),
  above: sh('pwd', { cwd: '..' }),
  linkOut: sh('pwd', { cwd: 'link-out' }),
  ofGit: sh('pwd', { cwd: '.git' }),
  file: sh('pwd', { cwd: 'docs/a.md' }),
  tooMuchTime: sh('true', { timeout_sec: limits.commandTimeoutMostSec + 1 }),
  much: sh(`seq 1 10000; printf '%s%s\\n' ${key.slice(0, 20)} ${key.slice(20)}; seq 10001 200000`),
  part: read('output:1-9', { offset: 9_999, limit: 3 }),
  end: read('output:1-9', { offset: 200_000 }),
  ofNobody: read('output:1-8'),
  ofAnother: read('output:../1-9'),
  tooMuch: sh("head -c 6000000 /dev/zero | tr '\\0' x"),
  line: read('output:1-14', { offset: 2 }),
  unlink: sh('rm link-out; echo changed > docs/a.md'),
} satisfies Calls

let fixture: Fixture
let coded: Readonly<Record<keyof typeof coding, ToolResult>>
let state: string
beforeAll(async () => {
  fixture = await createFixture({
    steps: [{ name: 'test', command: 'true' }],
    files: { 'docs/a.md': '# A\n' },
  })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [{ calls: Object.values(coding).flatMap(({ calls }) => calls) }, change()],
  })
  const done = await fixture.drydock('task', 'run commands', '--json', '--model', model)
  expect(done.exitCode, done.stderr).toBe(0)
  const results = await conversationOf(fixture, done).results('editor/task/CODING')
  coded = Object.fromEntries(Object.keys(coding).map((name, i) => [name, results[i]])) as Readonly<
    Record<keyof typeof coding, ToolResult>
  >
  state = (await fixture.open()).state
})
afterAll(() => fixture.remove())

const refusal = (words: string) => ({ ok: false, output: expect.stringContaining(words) })

describe('run_command', () => {
  test('runs in a folder of the repository, and in no other', () => {
    expect(coded.below).toMatchObject({ ok: true, output: expect.stringMatching(/\/docs\na\.md\n/) })
    expect(coded.missing).toMatchObject(refusal('cwd no-such-folder: There is no such file'))
    expect(coded.above).toMatchObject(refusal('leads out of the workspace'))
    expect(coded.linkOut).toMatchObject(refusal('cwd link-out: '))
    expect(coded.ofGit).toMatchObject(refusal('.git is not part of the change'))
    expect(coded.file).toMatchObject(refusal('not a folder'))
  })

  test('takes no more time than there is', () => {
    expect(coded.tooMuchTime).toMatchObject(refusal('timeout_sec'))
  })

  test('with a long output shows both ends and says how to read the middle', () => {
    const { output } = coded.much
    expect(output.length).toBeLessThan(limits.commandShownChars + limits.toolResultFrame)
    const [, first = '', last = ''] =
      /\n\[lines (\d+)-(\d+) of 200001 are left out; read them with read_file output:1-9, offset \1\]\n/.exec(output) ??
      []
    expect(output).toContain(`\n${Number(first) - 1}\n[`)
    expect(output).toContain(`]\n${Number(last)}\n`)
    expect(coded.part.output).toBe(
      '9999\t9999\n10000\t10000\n10001\t[redacted by drydock]\n(lines 9999-10001 of 200001; continue with offset 10002)',
    )
    expect(coded.end.output).toBe('200000\t199999\n200001\t200000')
  })

  test('keeps its output for its own lane, where no other name leads', () => {
    expect(coded.ofNobody).toMatchObject(refusal('output:1-8 is not kept'))
    expect(coded.ofAnother).toMatchObject(refusal('output:../1-9 is not kept'))
  })

  test('keeps at most so much, and says where its middle is missing', () => {
    expect(coded.tooMuch.output).toContain(
      '[lines 1-3 of 3 are left out; read them with read_file output:1-14, offset 1]',
    )
    expect(coded.line.output).toContain(`2\t[… ${6_000_000 - limits.commandKeptBytes} bytes left out …]\n`)
  })

  test('keeps nothing in the change, and nothing when the Run has ended', async () => {
    expect(await fixture.git('diff', '--name-only', 'main', 'drydock/run-commands')).toBe('docs/a.md')
    expect(await readdir(join(state, 'artifacts/outputs'))).toEqual([])
  })
})
