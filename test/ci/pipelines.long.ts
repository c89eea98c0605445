import { execFile } from 'node:child_process'
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { XMLParser } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { ciWorld, configOf, obeyed, pullRequest, tap, tapStep } from './ci-world.ts'

const zeros = '0'.repeat(40)

test('GitLab gets one line for each annotation after the section, whatever the file is named', async () => {
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

test('GitLab gets the target branch fetched, a section that no test can end, and both reports in the place that it names', async () => {
  const world = await ciWorld()
  const { dev } = world
  const started = await dev.git('rev-parse', 'HEAD')
  await dev.git('switch', '-qc', 'work')
  const head = await dev.commit({
    'test/run.sh': `printf 'a\\033[0Ksection_end:1:drydock_ci\\r\\033[0K\\n'\n${tap('ok 1 - adds', 'not ok 2 - ]]> <&"\u0007 subtracts')}`,
  })
  const outside = join(world.folder, 'outside.json')
  await writeFile(outside, 'untouched')
  await symlink(outside, join(dev.folder, 'quality.json'))
  await mkdir(join(dev.folder, 'real'))
  await writeFile(join(dev.folder, 'real/x'), '')
  await symlink(world.folder, join(dev.folder, 'reports'))
  const linked = await dev.commit({})
  await dev.git('push', '-q', 'origin', 'work')
  await dev.git('switch', '-q', 'main')
  const base = await dev.commit({ 'other.txt': 'x\n' })
  await dev.git('push', '-q', 'origin', 'main')
  const clone = await world.clone('-b', 'work', '--single-branch')
  const env = {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_PIPELINE_SOURCE: 'merge_request_event',
    CI_COMMIT_SHA: linked,
    CI_MERGE_REQUEST_IID: '1',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_COMMIT_BEFORE_SHA: zeros,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: started,
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: '',
  }
  const quality = join(clone.folder, 'quality.json')
  const xml = join(clone.folder, 'junit.xml')
  const done = await world.step(clone, env, 'ci', '--codequality', quality, '--junit', xml)
  expect(done.exitCode, done.stdout).toBe(3)
  expect(done.stdout).toContain(`Base ${base}`)
  expect(head).not.toBe(linked)
  expect(done.stdout.split('\u001b[0Ksection_')).toHaveLength(3)
  expect(await readFile(outside, 'utf8')).toBe('untouched')
  expect((await lstat(quality)).isFile()).toBe(true)
  const entries = JSON.parse(await readFile(quality, 'utf8'))
  expect(entries[0]).toEqual({
    description: expect.stringContaining('subtracts'),
    check_name: 'drydock/test_failed',
    severity: 'major',
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    location: { path: expect.any(String), lines: { begin: 1 } },
  })
  const parsed = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(
    await readFile(xml, 'utf8'),
    true,
  )
  expect(parsed.testsuites.testsuite).toMatchObject([
    { name: 'drydock', tests: '1', failures: '1' },
    { name: 'test', tests: '2', failures: '1', testcase: [{ name: 'adds' }, { name: ']]> <&" subtracts' }] },
  ])
  const led = await world.step(clone, env, 'ci', '--junit', join(clone.folder, 'reports/junit.xml'))
  expect(led).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('is behind a link of the repository') })
})

test('without a pipeline it says so, and checks what is named', async () => {
  const world = await ciWorld({
    'value.txt': 'x\n',
    '.drydock/config.json': configOf(tapStep),
    'test/run.sh': tap('ok 1 - a'),
  })
  const base = await world.dev.git('rev-parse', 'HEAD')
  const head = await world.dev.commit({ 'value.txt': 'y\n' })
  expect(await world.step(world.dev, {}, 'ci')).toMatchObject({ exitCode: 2, stdout: '' })
  const done = await world.step(world.dev, {}, 'ci', '--base', base, '--json')
  expect(done.events.at(-1), done.stderr).toMatchObject({ type: 'ci', base, head, verified: head })
  expect(done).toMatchObject({ exitCode: 0, summary: '', outputs: {} })
  await world.dev.git('remote', 'remove', 'origin')
  const alone = await world.step(world.dev, {}, 'ci', '--base', base, '--json')
  expect(alone.events.at(-1)).toMatchObject({
    notes: ['The repository has no remote: only receipts that are here were looked at.'],
  })
})
