import { expect, test } from 'vitest'
import { actions, ciWorld, configOf, obeyed, pullRequest } from './ci-world.ts'

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

test('who starts from an older commit gets no older configuration: the merge with the tip is verified', async () => {
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
