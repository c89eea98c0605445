import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { actions, ciWorld, configOf, tap, tapStep } from './ci-world.ts'

const zeros = '0'.repeat(40)

test('a push is compared with what was there before; a new branch with the default branch, the first one with nothing', async () => {
  const world = await ciWorld()
  const { dev } = world
  const before = await dev.git('rev-parse', 'HEAD')
  const after = await dev.commit({ 'test/run.sh': tap('ok 1 - adds', 'ok 2 - subtracts') })
  await dev.git('push', '-q', 'origin', 'main')
  const clone = await world.clone()
  const repository = { default_branch: 'main' }
  const push = async (sha: string, from: string, more: readonly string[] = []) => {
    const event = await world.event({ before: from, after: sha, repository })
    return world.step(
      clone,
      { ...actions, ...event, GITHUB_EVENT_NAME: 'push', GITHUB_SHA: sha },
      'ci',
      '--json',
      ...more,
    )
  }
  const pushed = await push(after, before)
  expect(pushed.events.at(-1), pushed.stderr).toMatchObject({ type: 'ci', base: before, head: after, verified: after })
  const first = await push(after, zeros)
  expect(first.events.at(-1)).toMatchObject({ base: after, head: after, verified: after, outcome: { code: 'PASS' } })
  expect(first.summary).toContain('There is no commit before it to compare with.')

  await clone.git('switch', '-qc', 'side', before)
  const side = await clone.commit({ 'src/value.txt': 'side\n' })
  const fresh = await push(side, zeros)
  expect(fresh.events.at(-1)).toMatchObject({ base: after, head: side })
  const gone = await push(side, 'a'.repeat(40))
  expect(gone.events.at(-1)).toMatchObject({ base: after, head: side })
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
    ...{ CI: 'true', GITLAB_CI: 'true', CI_PIPELINE_SOURCE: 'merge_request_event', CI_COMMIT_SHA: linked },
    ...{ CI_MERGE_REQUEST_IID: '1', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main', CI_COMMIT_BEFORE_SHA: zeros },
    ...{ CI_MERGE_REQUEST_DIFF_BASE_SHA: started, CI_MERGE_REQUEST_TARGET_BRANCH_SHA: '' },
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
    ...{ description: expect.stringContaining('subtracts'), check_name: 'drydock/test_failed', severity: 'major' },
    ...{
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      location: { path: expect.any(String), lines: { begin: 1 } },
    },
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
})
