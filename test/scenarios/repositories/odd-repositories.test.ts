import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { call, change, createFixture, type Fixture, plan, resultOf, runHere, write } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** A repository whose only step prints its view of the files, and fails while value.txt is old. */
async function given(look: string, files: Readonly<Record<string, string>> = {}) {
  fixture = await createFixture({ steps: [{ name: 'look', command: `${look}\ngrep -q new value.txt` }], files })
}

async function commitAll() {
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'odd')
}

const gitIn = (folder: string, ...args: string[]) =>
  promisify(execFile)('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a', ...args], { env: fixture.env })

/** Verifies a commit, or the working tree, and returns the output of the step. */
async function seen({ commit, repo = fixture.repo }: { commit?: string; repo?: string } = {}): Promise<string> {
  const args = ['verify', ...(commit === undefined ? [] : [commit]), '--json', '--repo', repo]
  const ended = await runHere(args, fixture.env)
  const answer = resultOf(ended).answer as VerifierResponse
  expect(answer.status, ended.stderr).toBe('FAIL')
  return answer.tail_log ?? ''
}

test('steps see submodules, links, odd names and line ends as they are committed, and a change keeps them so', async () => {
  const files = { '-dash': 'dash\n', 'line\nbreak': 'break\n', README: 'upper\n', readme: 'lower\n', 'a.bat': 'a\r\n' }
  await given('cat vendor/lib/lib.txt link; cat -- -dash line* latin* README readme; cat -A *.bat *.txt', {
    ...files,
    '.gitattributes': '*.bat text eol=crlf\n',
  })
  const library = join(fixture.folder, 'library')
  await mkdir(library)
  await gitIn(library, 'init', '-q', '-b', 'main')
  await writeFile(join(library, 'lib.txt'), 'library\n')
  await gitIn(library, 'add', '-A')
  await gitIn(library, 'commit', '-qm', 'one')
  await fixture.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'vendor/lib')
  await writeFile(Buffer.concat([Buffer.from(`${fixture.repo}/latin-`), Buffer.from([0xfc])]), 'latin\n')
  await symlink('readme', join(fixture.repo, 'link'))
  await fixture.git('config', 'core.autocrlf', 'true')
  await commitAll()
  await fixture.write({ readme: 'edited\r\n', 'value.txt': 'older\r\n' })
  const all = 'library\nlower\ndash\nbreak\nlatin\nupper\nlower\na^M$\nold$'
  const edited = all.replaceAll('lower', 'edited').replace('old$', 'older$')
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual([all, edited])
  await fixture.git('checkout', '-q', '.')

  const edit = (path: string, old: string) => call('edit_file', { path, old, new: 'changed' })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      call('run_command', { command: 'cp vendor/lib/lib.txt copy.txt' }),
      edit('link', 'lower'),
      edit('a.bat', 'a'),
      edit('line\nbreak', 'break'),
      write('new\n'),
      change(),
    ],
  })
  const ended = await fixture.drydock('task', 'apply', '--apply', '--model', model, '--json')
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(resultOf(ended).applied).toEqual(['a.bat', 'copy.txt', 'line\nbreak', 'readme', 'value.txt'])
  const textOf = (path: string) => readFile(join(fixture.repo, path), 'utf8')
  const written = await Promise.all(['a.bat', 'copy.txt', 'readme', 'line\nbreak', 'value.txt'].map(textOf))
  expect(written).toEqual(['changed\r\n', 'library\r\n', 'changed\r\n', 'changed\r\n', 'new\r\n'])
  expect(await fixture.git('ls-files', '--stage', 'link')).toMatch(/^120000 /)
})
