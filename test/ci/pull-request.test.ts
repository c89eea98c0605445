import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ciWorld, configOf, obeyed, pullRequest, tap, tapStep } from './ci-world.ts'

test('a pull request of GitHub is verified as its merge, by the configuration of the base that the merge has', async () => {
  const world = await ciWorld()
  await world.dev.commit({ 'src/value.txt': 'new\n' })
  const { clone, env, head, base, merge } = await pullRequest(world)
  const done = await world.step(clone, env, 'ci')
  expect(done, done.stdout + done.stderr).toMatchObject({ exitCode: 0, stderr: '' })
  expect(done.outputs).toEqual({
    ...{ outcome: 'PASS', base, head, verified: merge, run_id: expect.stringMatching(/^run_/) },
    ...{ findings: '0', receipts_proven: '0', commits: '1' },
  })
  expect(done.summary).toContain('## Drydock: PASS')
  expect(done.summary).toContain(`\`${head.slice(0, 12)}\` | It has no receipt.`)
  expect(obeyed(done.stdout)).toEqual([
    {
      command: 'notice',
      properties: { title: '1 of 1 commits without a proven receipt' },
      data: expect.stringContaining('no receipt'),
    },
  ])
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
