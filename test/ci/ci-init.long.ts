import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type CiWorld, type Clone, ciWorld, type Env, obeyed, pullRequest } from './ci-world.ts'

const root = resolve(import.meta.dirname, '../..')

const init = (world: CiWorld, ...args: string[]) => world.step(world.dev, {}, 'ci', 'init', ...args)

interface WorkflowStep {
  readonly name: string
  readonly uses?: string
  readonly with?: object
  readonly env?: Env
  readonly run?: string
}

test('the steps of GitHub’s workflow install Drydock from a real clone and check a pull request with it', async () => {
  const world = await ciWorld()
  const source = await clonableDrydock(world)
  const made = await init(world, 'github', '--from', source.url, '--commit', source.commit)
  expect(made.exitCode, made.stderr).toBe(0)
  await world.dev.git('add', '-A')
  await world.dev.git('commit', '-qm', 'Check changes')
  await world.dev.git('push', '-q', 'origin', 'main')
  await world.dev.commit({ 'src/value.txt': 'new\n' })
  const { clone, env } = await pullRequest(world)
  const { jobs } = parse(await readFile(join(clone.folder, '.github/workflows/drydock.yml'), 'utf8'))
  const steps = (jobs.drydock.steps as WorkflowStep[]).filter(({ run }) => run !== undefined)
  // The packages of the system and of npm are already installed on this machine.
  expect(steps.map(({ name }) => name)).toEqual(['Prepare the sandbox', 'Fetch Drydock', 'Install Drydock', 'Drydock'])
  const [prepare, fetch, install, check] = steps
  await promisify(execFile)('sh', ['-n', '-c', prepare?.run ?? ''])
  const runner = await machine(world, clone, env)
  await runner.run(fetch)
  await symlink(join(root, 'node_modules'), join(runner.temp, 'drydock/node_modules'))
  await runner.run({ name: '', run: install?.run?.replace(/^npm ci .*$/m, ':') ?? '' })
  const printed = await runner.run(check)
  expect(obeyed(printed)).toMatchObject([{ command: 'notice', data: expect.stringContaining('no receipt') }])
  expect(await readFile(join(runner.temp, 'outputs'), 'utf8')).toContain('outcome=PASS\n')
  expect(await readFile(join(runner.temp, 'summary.md'), 'utf8')).toContain('## Drydock: PASS')
})

/** The sources of this Drydock in a separate repository that can be cloned. */
async function clonableDrydock({ folder, env }: CiWorld): Promise<{ url: string; commit: string }> {
  const place = join(folder, 'drydock')
  await mkdir(place)
  for (const part of ['src', 'bin', 'package.json', 'package-lock.json'])
    await cp(join(root, part), join(place, part), { recursive: true })
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', place, ...args], { env })).stdout.trim()
  await git('init', '-q')
  await git('add', '-A')
  await git('-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qm', 'Drydock')
  return { url: `file://${place}`, commit: await git('rev-parse', 'HEAD') }
}

/**
 * Runs steps of a job like the runner: a shell for each, with the variables that earlier steps have
 * set.
 */
async function machine(world: CiWorld, clone: Clone, env: Env) {
  const temp = await mkdtemp(join(world.folder, 'runner-'))
  const files = {
    GITHUB_PATH: join(temp, 'path'),
    GITHUB_OUTPUT: join(temp, 'outputs'),
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
  }
  await writeFile(files.GITHUB_PATH, '')
  return {
    temp,
    async run(step: WorkflowStep | undefined): Promise<string> {
      const added = (await readFile(files.GITHUB_PATH, 'utf8')).split('\n').filter(Boolean).toReversed()
      const own = Object.fromEntries(
        Object.entries(step?.env ?? {}).map(([key, value]) => [key, value.replace(/\$\{\{.*\}\}/, '')]),
      )
      const all = {
        ...world.env,
        ...env,
        ...files,
        ...own,
        RUNNER_TEMP: temp,
        PATH: [...added, world.env.PATH].join(':'),
      }
      const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? 'exit 1']
      return (await promisify(execFile)('bash', args, { cwd: clone.folder, env: all })).stdout
    },
  }
}
