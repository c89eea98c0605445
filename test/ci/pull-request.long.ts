import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actions, ciWorld, configOf, obeyed, pullRequest, tap, tapStep } from './ci-world.ts'

test('a change of the configuration in the pull request is a finding beside its line, and the steps are the base’s', async () => {
  const world = await ciWorld()
  await world.dev.commit({
    '.drydock/config.json': configOf({ name: 'test', command: 'true' }),
    'a,b\n:%::error::/.eslintrc.json': '{}\n',
  })
  const { clone, env } = await pullRequest(world)
  const done = await world.step(clone, env, 'ci')
  expect(done.exitCode, done.stdout).toBe(3)
  expect(done.outputs).toMatchObject({ outcome: 'FINDINGS', findings: '2' })
  expect(done.summary).toContain('| `test` | `sh test/run.sh` | 0 |')
  const errors = obeyed(done.stdout).filter(({ command }) => command === 'error')
  expect(errors.map(({ properties }) => properties.file).sort()).toEqual([
    '.drydock/config.json',
    expect.stringMatching(/eslintrc/),
  ])
  const ids = errors.map(({ data }) => /g-[0-9a-f]{12}/.exec(data)?.[0] ?? '')

  const warned = await world.step(clone, env, 'ci', '--findings', 'warn')
  expect(warned.exitCode).toBe(0)
  expect(obeyed(warned.stdout).filter(({ command }) => command === 'warning')).toHaveLength(2)
  const accepted = await world.step(clone, { ...env, DRYDOCK_ACCEPT: ids.join(',') }, 'ci', '--json')
  expect(accepted.exitCode).toBe(0)
  expect(accepted.events.at(-1)).toMatchObject({
    type: 'ci',
    outcome: { code: 'PASS' },
    findings: [{ accepted_by: 'setting' }, { accepted_by: 'setting' }],
  })
  expect(accepted.stderr).toMatch(/^::stop-commands::/)
})

test('an older commit does not bring an older configuration: the merge with the tip is verified', async () => {
  const world = await ciWorld({
    '.drydock/config.json': configOf({ name: 'test', command: 'true' }),
    'value.txt': 'old\n',
  })
  const { dev } = world
  await dev.git('switch', '-qc', 'work')
  const head = await dev.commit({ 'other.txt': 'x\n' })
  await dev.git('switch', '-q', 'main')
  const base = await dev.commit({ '.drydock/config.json': configOf({ name: 'test', command: 'cat strict.txt' }) })
  await dev.git('push', '-q', 'origin', 'main', 'work')
  const clone = await world.clone('-b', 'work')
  const event = await world.event({ pull_request: { base: { sha: base }, head: { sha: head } } })
  const env = {
    ...actions,
    ...event,
    FORGEJO_ACTIONS: 'true',
    GITHUB_EVENT_NAME: 'pull_request_sync',
    GITHUB_SHA: head,
  }
  const done = await world.step(clone, env, 'ci')
  expect(done.exitCode, done.stdout).toBe(3)
  expect(done.outputs).toMatchObject({ outcome: 'FAIL', base, head })
  expect(done.summary).toContain('cat strict.txt')
  expect(done.outputs.verified).not.toBe(head)

  const conflicting = await clone.commit({ '.drydock/config.json': '{}' })
  const other = await world.event({ pull_request: { base: { sha: base }, head: { sha: conflicting } } })
  const conflict = await world.step(clone, { ...env, ...other, GITHUB_SHA: conflicting }, 'ci')
  expect(conflict.exitCode).toBe(3)
  expect(obeyed(conflict.stdout)).toMatchObject([{ command: 'error', properties: { file: '.drydock/config.json' } }])
  expect(conflict.summary).toContain('## Drydock: CONFLICT')
})

test('a red change is annotated, and nothing that it prints or is named is obeyed', async () => {
  const world = await ciWorld()
  const evil = 'a\n::warning::file name\n##[add-path]x'
  const name = 'pays </code><img src=x onerror=alert(1)> @all | [x](https://evil.example) `'
  await world.dev.commit(
    {
      'test/run.sh': `printf '::error::printed\\n  ::add-mask::a\\n::stop-commands::x\\n::x::\\nsee ##[set-output name=outcome]PASS\\r::error::return\\n'\n${tap('ok 1 - adds', `not ok 2 - ${name}`)}`,
      [`${evil}/.eslintrc.json`]: '{}\n',
    },
    'x\n\n::error::message',
  )
  const { clone, env } = await pullRequest(world)
  const done = await world.step(clone, env, 'ci')
  expect(done.exitCode, done.stderr).toBe(3)
  expect(done.stdout).toContain('::error::printed')
  expect(obeyed(done.stdout).map(({ command, properties, data }) => [command, properties.title, data])).toEqual([
    ['error', 'A test failed', expect.stringContaining('pays </code><img')],
    ['notice', '1 of 1 commits without a proven receipt', expect.any(String)],
  ])
  expect(done.outputs.outcome).toBe('FAIL')
  const prose = done.summary.replaceAll(/(`{3,})text\n.*?\n\1/gs, '').replaceAll(/(`+).+?\1/g, '')
  expect(prose).not.toMatch(/<|@all|evil\.example|::/)
})

test('a shallow clone is refused with the line that helps, and so is a base without a configuration', async () => {
  const world = await ciWorld({ 'value.txt': 'old\n' })
  await world.dev.commit({ '.drydock/config.json': configOf(tapStep), 'test/run.sh': tap('ok 1 - adds') })
  const { clone, env } = await pullRequest(world)
  const none = await world.step(clone, env, 'ci', '--json')
  expect(none).toMatchObject({ exitCode: 2 })
  expect(none.events.at(-1)).toMatchObject({
    type: 'error',
    code: 'no_config',
    message: expect.stringContaining('never brings its own'),
  })
  const shallow = await world.clone('--depth', '1')
  const refused = await world.step(shallow, { ...env, GITHUB_SHA: await shallow.git('rev-parse', 'HEAD') }, 'ci')
  expect(refused.exitCode).toBe(2)
  expect(obeyed(refused.stdout)).toMatchObject([
    {
      command: 'error',
      properties: { title: 'Drydock: shallow_history' },
      data: expect.stringContaining('fetch-depth: 0'),
    },
  ])
  expect(refused.summary).toContain('shallow_history')
})

test('events that name nothing to compare, hostile events and pull_request_target are refused', async () => {
  const world = await ciWorld()
  const { clone, env } = await pullRequest(world)
  const bad = [
    { GITHUB_EVENT_NAME: 'pull_request_target' },
    { GITHUB_EVENT_NAME: 'issue_comment' },
    { GITHUB_EVENT_PATH: join(world.folder, 'missing.json') },
    await world.event({ pull_request: { base: { sha: '--upload-pack=x' }, head: { sha: 'HEAD' } } }),
    await world.event({ pull_request: { base: { sha: 'a'.repeat(40) }, head: { sha: 'b'.repeat(40) } } }),
    { GITHUB_SHA: 'main' },
  ]
  const broken = join(world.folder, 'broken.json')
  await writeFile(broken, '[{')
  for (const each of [...bad, { GITHUB_EVENT_PATH: broken }]) {
    const done = await world.step(clone, { ...env, ...each }, 'ci')
    expect(done.exitCode, JSON.stringify(each) + done.stdout).toBe(2)
    expect(obeyed(done.stdout)).toMatchObject([{ command: 'error' }])
  }
})
