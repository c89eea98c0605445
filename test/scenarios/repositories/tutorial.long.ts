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

/** The spec after it belongs to the demo, which has its own tests. */
test('the first task of docs/tutorial.md works as it stands, for somebody who has just arrived', async ({
  onTestFinished,
}) => {
  const home = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await symlink(root, join(home, 'drydock'))
  const tutorial = await readFile(join(root, 'docs/tutorial.md'), 'utf8')
  const task = tutorial.slice(0, tutorial.indexOf('\n## A spec\n'))
  const script = [...task.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code).join('')
  const PATH = `${root}/bin:${process.env.PATH ?? ''}`
  const env = { ...Object.fromEntries(ann), PATH, HOME: home, TMPDIR: home }
  await run('bash', ['-euc', script], { cwd: home, env, maxBuffer: 1e8 })

  const { stdout } = await run('git', ['-C', join(home, 'median'), 'log', '--format=%s', 'main'])
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'The median of an even number of numbers',
    'Configure Drydock',
    'A median',
  ])
})
