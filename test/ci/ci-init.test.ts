import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type CiWorld, ciWorld, type Env } from './ci-world.ts'

const _root = resolve(import.meta.dirname, '../..')
const named = ['--from', 'https://git.example/drydock.git', '--commit', 'a'.repeat(40)]

const init = (world: CiWorld, ...args: string[]) => world.step(world.dev, {}, 'ci', 'init', ...args)

interface WorkflowStep {
  readonly name: string
  readonly uses?: string
  readonly with?: object
  readonly env?: Env
  readonly run?: string
}

test.each(['github', 'forgejo'] as const)(
  'the workflow of %s has least permissions, a pinned checkout of all history, and no cache',
  async (service) => {
    const world = await ciWorld()
    const done = await init(world, service, ...named)
    expect(done, done.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`Wrote .${service}/workflows/drydock.yml`),
    })
    const text = await readFile(join(world.dev.folder, `.${service}/workflows/drydock.yml`), 'utf8')
    const workflow = parse(text)
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'jobs'])
    expect(workflow).toMatchObject({
      on: { pull_request: null, push: { branches: ['main'] } },
      permissions: { contents: 'read' },
    })
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target')
    const { drydock: job, ...others } = workflow.jobs
    expect([Object.keys(others), Object.keys(job)]).toEqual([[], ['runs-on', 'timeout-minutes', 'steps']])
    const [checkout, ...steps] = job.steps as WorkflowStep[]
    expect(checkout).toEqual({
      name: 'Check out',
      uses: expect.stringMatching(/^actions\/checkout@[0-9a-f]{40}$/),
      with: { 'fetch-depth': 0 },
    })
    for (const { uses, run } of steps) expect([uses, run]).toEqual([undefined, expect.any(String)])
    // Foreign texts must not reach a shell, so expressions occur only in `env`.
    for (const { run } of steps) expect(run).not.toContain('${{')
    expect(steps.at(-1)).toMatchObject({
      run: 'drydock ci',
      env: { DRYDOCK_RECEIPT_KEY: '${{ vars.DRYDOCK_RECEIPT_KEY }}' },
    })
    expect(text).not.toMatch(/cache|secrets\./)

    const again = await init(world, service, ...named)
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('exists already') })
    expect(await readFile(join(world.dev.folder, `.${service}/workflows/drydock.yml`), 'utf8')).toBe(text)
  },
)

test('GitLab’s file is one job for merge requests with both reports, to be included', async () => {
  const world = await ciWorld()
  const done = await init(world, 'gitlab', ...named)
  expect(done, done.stderr).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('- local: .gitlab/drydock.yml'),
  })
  const pipeline = parse(await readFile(join(world.dev.folder, '.gitlab/drydock.yml'), 'utf8'))
  expect(pipeline).toMatchObject({
    drydock: {
      cache: [],
      variables: { GIT_DEPTH: '0', DRYDOCK_COMMIT: 'a'.repeat(40) },
      artifacts: { when: 'always', reports: { codequality: 'drydock-codequality.json', junit: 'drydock-junit.xml' } },
    },
  })
  const { rules, before_script, script } = pipeline.drydock
  expect(rules).toEqual([
    { if: '$CI_PIPELINE_SOURCE == "merge_request_event"' },
    { if: '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == "main"' },
  ])
  await promisify(execFile)('sh', ['-n', '-c', [...before_script, ...script].join('\n')])
})

test('nothing is written behind a link, for an unknown service, or from a place that no pipeline may read', async () => {
  const world = await ciWorld()
  const refused = [
    [],
    ['jenkins', ...named],
    ['github', '--from', 'https://user:token@git.example/d.git', '--commit', 'a'.repeat(40)],
    ['github', '--from', "https://git.example/'\n  run: x", '--commit', 'a'.repeat(40)],
    ['github', '--from', 'https://git.example/d.git', '--commit', 'main'],
  ]
  for (const args of refused) expect((await init(world, ...args)).exitCode, args.join(' ')).toBe(2)
  expect((await init(world, 'github', '--from', 'https://u:tok3n@h/d', '--commit', 'x')).stderr).not.toContain('tok3n')
  const elsewhere = join(world.folder, 'elsewhere')
  await mkdir(join(elsewhere, 'workflows'), { recursive: true })
  await symlink(elsewhere, join(world.dev.folder, '.github'))
  expect(await init(world, 'github', ...named)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is a link'),
  })
  expect(await world.dev.git('status', '--porcelain')).toBe('?? .github')
})
