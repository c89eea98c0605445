import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { createFixture, type Fixture, resultOf, runHere } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** A repository whose only step prints what the files look like to it, and fails while value.txt is old. */
async function given(look: string, files: Readonly<Record<string, string>> = {}) {
  fixture = await createFixture({ steps: [{ name: 'look', command: `${look}\ngrep -q new value.txt` }], files })
}

async function commitAll() {
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'odd')
}

const gitIn = (folder: string, ...args: string[]) =>
  promisify(execFile)('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a', ...args], { env: fixture.env })

/** What the step printed: of a commit, or of the working tree. */
async function seen({ commit, repo = fixture.repo }: { commit?: string; repo?: string } = {}): Promise<string> {
  const args = ['verify', ...(commit === undefined ? [] : [commit]), '--json', '--repo', repo]
  const ended = await runHere(args, fixture.env)
  const answer = resultOf(ended).answer as VerifierResponse
  expect(answer.status, ended.stderr).toBe('FAIL')
  return answer.tail_log ?? ''
}

test('a submodule that was never fetched is an empty folder', async () => {
  await given('ls vendor; ls -A vendor/lib')
  const id = await fixture.git('rev-parse', 'HEAD')
  await fixture.git('update-index', '--add', '--cacheinfo', `160000,${id},vendor/lib`)
  await fixture.git('commit', '-qm', 'odd')
  expect(await seen({ commit: 'HEAD' })).toBe('lib')
})

test('a partial clone is refused with what makes it whole', async () => {
  await given('true')
  await fixture.write({ 'value.txt': 'older\n' })
  await commitAll()
  await fixture.git('config', 'uploadpack.allowFilter', 'true')
  const clone = join(fixture.folder, 'clone')
  await gitIn(fixture.folder, 'clone', '-q', '--filter=blob:none', `file://${fixture.repo}`, clone)
  const refused = await runHere(['verify', '--json', '--repo', clone], fixture.env)
  const todo = 'git fetch --refetch --no-filter'
  expect(refused.events.at(-1)).toMatchObject({
    error: {
      code: 'git_failed',
      message: `${clone} is a partial clone: some files of its commits are missing.`,
      todo,
    },
  })
  await promisify(execFile)('sh', ['-c', todo], { cwd: clone, env: fixture.env })
  expect(await seen({ repo: clone })).toContain('printed nothing')
})
