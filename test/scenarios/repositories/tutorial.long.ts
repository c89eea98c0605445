import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)
const ann = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
  [`GIT_${who}_NAME`, 'Ann'],
  [`GIT_${who}_EMAIL`, 'ann@example.com'],
])

test('the commands of docs/tutorial.md work as they stand, for somebody who has just arrived', async ({
  onTestFinished,
}) => {
  const home = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await symlink(root, join(home, 'drydock'))
  const tutorial = await readFile(join(root, 'docs/tutorial.md'), 'utf8')
  const script = [...tutorial.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code).join('')
  const PATH = `${root}/bin:${process.env.PATH ?? ''}`
  const env = { ...Object.fromEntries(ann), PATH, HOME: home, TMPDIR: home }
  await run('bash', ['-euc', script], { cwd: home, env, maxBuffer: 1e8 })

  const subjects = async (repository: string) =>
    (await run('git', ['-C', join(home, repository), 'log', '--format=%s', 'main'])).stdout.trim().split('\n')
  expect((await subjects('median')).slice(0, 3)).toEqual([
    'The median of an even number of numbers',
    'Configure Drydock',
    'A median',
  ])
  expect(await subjects('duration')).toContain('Read and write weeks')
}, 1_200_000)
