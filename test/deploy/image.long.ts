import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, freePort } from '../postgres/server.ts'
import { createFixture, type Fixture, greenLanes, parseEvents } from '../scenarios/world/fixture.ts'
import { ask } from '../server/browser.ts'
import { asRoot, buildImage, giveImage, image, must, ordinaryUser, type Podman, removeImages } from './podman.ts'

const allowed = ['--security-opt', 'seccomp=unconfined', '--security-opt', 'systempaths=unconfined']
const bounded = ['--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--read-only', '--tmpfs', '/tmp']
const volume = 'drydock-long-state'

let ordinary: ReturnType<typeof ordinaryUser>
beforeAll(async () => {
  await buildImage()
  ordinary = ordinaryUser()
  await giveImage(ordinary)
})
afterAll(async () => {
  ordinary.remove()
  await removeImages()
})

/** A repository that belongs to the user of the image. */
async function repositoryOf({ uid }: Podman): Promise<Fixture & { readonly model: string }> {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const model = await fixture.replay(greenLanes)
  execFileSync('chown', ['-R', `${uid}:${uid}`, fixture.folder])
  return { ...fixture, model }
}

const inRepository = ({ folder, repo }: Fixture) => ['--volume', `${folder}:${folder}`, '--workdir', repo]

async function withState(who: Podman): Promise<readonly string[]> {
  await must(who.podman('volume', 'create', volume))
  onTestFinished(async () => void (await who.podman('volume', 'rm', '--force', volume)))
  return ['--volume', `${volume}:/var/lib/drydock`]
}

describe.each([
  { who: () => asRoot, name: asRoot.name },
  { who: () => ordinary, name: 'podman without root' },
])('$name', ({ who: find }) => {
  test('does a task on a mounted repository, whose branch is verified and belongs to its owner', async () => {
    const who = find()
    const fixture = await repositoryOf(who)
    const state = await withState(who)
    const run = (...words: readonly string[]) =>
      who.podman(
        'run',
        '--rm',
        ...who.options,
        ...allowed,
        ...bounded,
        ...state,
        ...inRepository(fixture),
        image,
        ...words,
      )
    const done = await run('task', 'say new', '--json', '--model', fixture.model)
    expect(parseEvents(done.stdout).at(-1)).toMatchObject({ type: 'result', status: 'DONE', branch: 'drydock/say-new' })
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'safe.directory=*', '-C', fixture.repo, ...args], { encoding: 'utf8' }).trim()
    expect(git('show', 'drydock/say-new:value.txt')).toBe('new')
    expect(git('log', '-1', '--format=%B', 'drydock/say-new')).toContain('Verified-By: ')
    expect(statSync(`${fixture.repo}/.git/refs/heads/drydock/say-new`).uid).toBe(who.uid)
    // The next container finds the state in its volume.
    expect(await must(run('status'))).toMatch(/ DONE .* drydock\/say-new$/m)
  })

  test('holds inside against all attacks', async () => {
    const who = find()
    const fixture = await repositoryOf(who)
    const options = [...who.options, ...allowed, ...inRepository(fixture)]
    const { stdout } = await who.podman('run', '--rm', ...options, image, 'doctor', '--security', '--json')
    const lines = parseEvents(stdout)
    expect(lines.filter(({ status }) => status === 'FAILED')).toEqual([])
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'PASS' })
  })

  test('runs nothing, and says why, where /proc is covered', async () => {
    const who = find()
    const fixture = await repositoryOf(who)
    const options = [...who.options, ...inRepository(fixture)]
    const done = await who.podman('run', '--rm', ...options, image, 'task', 'say new', '--model', fixture.model)
    expect(done).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('systempaths=unconfined') })
  })
})

test('a hub and a worker of the same image build what is handed in, and the healthcheck sees the hub', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const fixture = await repositoryOf(asRoot)
  const state = await withState(asRoot)
  const port = await freePort()
  const common = [...asRoot.options, ...allowed, '--network', 'host', '--env', `DRYDOCK_DATABASE_URL=${database.url}`]
  const started = async (name: string, options: readonly string[], ...words: readonly string[]) => {
    await must(asRoot.podman('run', '--detach', '--name', name, ...common, ...options, image, ...words))
    onTestFinished(async () => void (await asRoot.podman('rm', '--force', '--volumes', name)))
  }
  const hub = ['hub', '--listen', `127.0.0.1:${port}`, '--coders', '0', '--model', fixture.model]
  await started('drydock-long-hub', [...state, ...inRepository(fixture)], ...hub)
  const inHub = (...words: readonly string[]) => must(asRoot.podman('exec', 'drydock-long-hub', ...words))
  await expect
    .poll(() =>
      ask(port, '/health/ready').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  expect((await asRoot.podman('healthcheck', 'run', 'drydock-long-hub')).exitCode).toBe(0)
  const token = await inHub('drydock', 'hub', 'token', 'add', 'big', '--role', 'worker')
  const ada = await inHub('drydock', 'hub', 'token', 'add', 'ada', '--role', 'operator')
  const mounted = ['--volume', `${fixture.folder}:${fixture.folder}:ro`, '--env', `DRYDOCK_HUB_TOKEN=${token}`]
  await started('drydock-long-worker', mounted, 'worker', '--hub', `http://127.0.0.1:${port}`, '--name', 'big')
  const headers = { Authorization: `Bearer ${ada}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ task: 'say new' })
  expect((await ask(port, '/api/tasks', { method: 'POST', headers, body })).status).toBe(202)
  await expect.poll(() => inHub('drydock', 'status'), { timeout: 300_000 }).toMatch(/ DONE .* drydock\/say-new$/m)
  expect((await asRoot.podman('healthcheck', 'run', 'drydock-long-worker')).exitCode).toBe(0)
  await must(asRoot.podman('stop', '--time', '120', 'drydock-long-worker', 'drydock-long-hub'))
  const codes = await must(
    asRoot.podman('inspect', '--format', '{{.State.ExitCode}}', 'drydock-long-worker', 'drydock-long-hub'),
  )
  expect(codes.split('\n')).toEqual(['130', '130'])
})
