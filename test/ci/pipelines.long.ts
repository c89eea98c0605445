import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ciWorld, configOf, obeyed, pullRequest, tap, tapStep } from './ci-world.ts'

const _zeros = '0'.repeat(40)

test('what GitLab is told after the section is one line for each annotation, however a file is named', async () => {
  const name = 'a\nPASS: The steps passed.\nb'
  const world = await ciWorld({ '.drydock/config.json': configOf(tapStep), [name]: 'old\n' })
  const { dev } = world
  const base = await dev.commit({ [name]: 'ours\n' })
  await dev.git('switch', '-qc', 'work', 'HEAD~1')
  await dev.commit({ [name]: 'theirs\n' })
  const done = await world.step(dev, { CI: 'true', GITLAB_CI: 'true' }, 'ci', '--base', base)
  expect(done.exitCode, done.stdout).toBe(3)
  expect(done.stdout.split('section_end')[1]?.trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^error: a PASS: The steps passed\. b Conflict with the base: /),
  ])
})

test('many red tests make ten annotations, the last of which says how many more there are', async () => {
  const world = await ciWorld()
  await world.dev.commit({
    'test/run.sh': tap(...Array.from({ length: 300 }, (_, i) => `not ok ${i + 1} - case ${i}`)),
  })
  const { clone, env } = await pullRequest(world)
  const done = await world.step(clone, env, 'ci')
  const errors = obeyed(done.stdout).filter(({ command }) => command === 'error')
  expect(errors).toHaveLength(10)
  expect(errors.at(-1)?.data).toBe('And 291 more. The summary of the job lists them.')
  expect(done.summary).toContain('- and 250 more')
})

test('without a sandbox the pipeline ends as INFRA_ERROR with 4, and says what to allow', async () => {
  const world = await ciWorld()
  await world.dev.commit({ 'src/value.txt': 'new\n' })
  const { clone, env } = await pullRequest(world)
  const programs = join(world.folder, 'programs')
  await mkdir(programs)
  for (const name of ['git', 'find', 'mkfifo', 'sh']) {
    const { stdout } = await promisify(execFile)('sh', ['-c', `command -v ${name}`])
    await symlink(stdout.trim(), join(programs, name))
  }
  const done = await world.step(clone, { ...env, PATH: programs }, 'ci')
  expect(done).toMatchObject({ exitCode: 4, outputs: { outcome: 'INFRA_ERROR' } })
  expect(done.stdout).toContain('apparmor_restrict_unprivileged_userns=0')
  expect(obeyed(done.stdout)).toMatchObject([
    { command: 'error', properties: { title: 'Drydock: INFRA_ERROR' } },
    { command: 'notice' },
  ])
})
