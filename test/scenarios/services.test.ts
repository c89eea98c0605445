import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { postgres } from '../gate/postgres.ts'
import { processesWith, until } from '../gate/verifier-world.ts'
import { conversationOf } from './world/conversation.ts'
import { call, change, createFixture, type Fixture, plan, resultOf } from './world/fixture.ts'
import { launch } from './world/process.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const { timeoutSec: _, ...service } = postgres

async function given(services: readonly object[], more: { readonly steps?: object[]; readonly files?: object } = {}) {
  fixture = await createFixture(more.files === undefined ? {} : { files: more.files as Record<string, string> })
  const { steps = [{ name: 'test', command: 'true' }] } = more
  await fixture.write({ '.drydock/config.json': JSON.stringify({ verification: { steps, services } }) })
  await fixture.git('commit', '-qam', 'services')
}

/** Asks the database in the process of the tests. */
const store = (start: number) => `import { execFileSync } from 'node:child_process'
const ask = (sql) => execFileSync('psql', [process.env.DATABASE_URL, '-tAqc', sql], { encoding: 'utf8' }).trim()
export const add = (...numbers) =>
  Number(ask(\`create temp table sums (n int); insert into sums values (\${numbers.join('),(')}); select ${start} + sum(n) from sums\`))
`
const testOf = (name: string, sum: number) =>
  `import assert from 'node:assert'\nimport test from 'node:test'\nimport { add } from '../src/store.js'\ntest('${name}', () => {\n  assert.equal(add(1, 2), ${sum})\n})\n`

describe('with a PostgreSQL beside its steps', () => {
  test('a task is verified with full assurance, its editor has it too, and every view shows it', async () => {
    await given([service], {
      steps: [{ name: 'test', command: 'node --test --test-reporter=spec' }],
      files: {
        'package.json': '{ "type": "module" }',
        'src/store.js': store(0),
        'test/store.test.js': testOf('adds', 3),
      },
    })
    const use = `$WITH_SERVICES sh -c 'psql "$DATABASE_URL" -tAc "select 40 + 2"'`
    const more = `${store(0)}export const twice = (...numbers) => 2 * add(...numbers)\n`
    const tested = testOf('doubles', 6).replaceAll('add', 'twice')
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan({ files: ['src/store.js'] })],
      'editor/task/CODING': [
        call('run_command', { command: use }),
        call('write_file', { path: 'src/store.js', content: more }),
        call('write_file', { path: 'test/twice.test.js', content: tested }),
        change(),
      ],
    })
    const done = await fixture.drydock('task', 'add twice', '--json', '--model', model)
    expect(done.exitCode, done.stderr + done.stdout).toBe(0)
    const { results, prompt } = conversationOf(fixture, done)
    expect(await results('editor/task/CODING')).toContainEqual({
      ...{ callId: expect.anything(), tool: 'run_command' },
      ...{ ok: true, output: expect.stringMatching(/^42\n/) },
    })
    const log = 'logs/step-01-test.service-postgres.log'
    const verified = done.events.findLast(({ type }) => type === 'verification')
    const id = String(verified?.run_id)
    expect(await prompt('editor/task/CODING')).toContain('`$WITH_SERVICES <program> [arguments]` in a command')
    const { artifacts } = await fixture.open()
    const manifest = JSON.parse(await readFile(join(artifacts, 'runs', id, 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({
      status: 'PASS',
      ...{ hybrid: { status: 'held' }, canaries: { status: 'heard' }, integrity: { proof: { status: 'proven' } } },
      hunks: { proven: 1, unproven: [], not_tried: 0 },
    })
    const report = await fixture.drydock('report')
    expect(report.stdout).toMatch(/service postgres: ready after \d+\.\d s/)
    const shown = await fixture.drydock('log', id)
    expect(shown.stderr).toMatch(new RegExp(`step test: service postgres: ready after .* s: /.*/${id}/${log}`))
    const receipt = await fixture.drydock('receipt', 'show', String(resultOf(done).branch))
    expect(receipt.stdout).toMatch(/- service postgres: ready after \d+\.\d s/)
  })

  test('a killed `drydock verify` leaves nothing of it alive', async () => {
    await given([service], { steps: [{ name: 'test', command: 'sleep 65431' }] })
    const running = launch(['verify', '--repo', fixture.repo], { env: fixture.env })
    await until(() => processesWith('sleep 65431') > 0 && processesWith('/tmp/services/postgres') > 0)
    running.child.kill('SIGKILL')
    await running.ended
    await until(() => processesWith('sleep 65431') + processesWith('/tmp/services/postgres') === 0)
  })
})

test('`drydock verify` names a service that does not come up, with the end of its log', async () => {
  await given([{ name: 'db', command: 'echo the disk is broken; exit 2', ports: [5432] }])
  const done = await fixture.drydock('verify')
  expect(done.exitCode).toBe(4)
  expect(done.stdout).toContain('service_failed: Service db did not come up: its command ended with exit code 2')
  expect(done.stdout).toContain('the disk is broken')
})

describe('a configuration is refused', () => {
  const db = { name: 'db', command: 'db', ports: [5432] }
  const refused: readonly (readonly [string, readonly object[], string, object])[] = [
    [
      'two services on one port',
      [db, { ...db, name: 'other', ports: [], ready: { port: 5432 } }],
      'two services have the same port',
      {},
    ],
    ['two services of one name', [db, { ...db, ports: [5433] }], 'two services have the same name', {}],
    ['an image', [{ ...db, image: 'postgres:17' }], 'services[0].image: a service has no image of its own', {}],
    ['nothing that tells when it is ready', [{ name: 'db', command: 'db' }], 'needs `ready` or `ports`', {}],
    [
      'a variable of two values',
      [
        { ...db, env: { A: '1' } },
        { ...db, name: 'b', ports: [1_025], env: { A: '2' } },
      ],
      'two services give one variable different values',
      {},
    ],
    ['a step with an unknown service', [db], 'that `verification.services` does not have', { services: ['cache'] }],
  ]
  test.each(refused)('for %s', async (_, services, said, step) => {
    await given(services, { steps: [{ name: 'test', command: 'true', ...step }] })
    const { exitCode, stderr } = await fixture.drydock('verify')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)])
  })
})

test('a change of the services, or of a script that starts one, is a finding of the gate', async () => {
  const services = [{ name: 'idle', command: 'sh ci/start.sh', ready: { command: 'true' } }]
  await given(services, { files: { 'ci/start.sh': 'exec sleep 1000\n' } })
  await fixture.git('add', '-A')
  const changed = JSON.stringify({ verification: { steps: [{ name: 'test', command: 'true' }] } })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      call('write_file', { path: '.drydock/config.json', content: changed }),
      call('write_file', { path: 'ci/start.sh', content: 'exec sleep 2000\n' }),
      change(),
    ],
  })
  const done = await fixture.drydock('task', 'weaken it', '--json', '--model', model)
  expect(done.exitCode).toBe(3)
  const files = JSON.stringify(resultOf(done))
  expect(files).toContain('.drydock/config.json')
  expect(files).toContain('the service idle, which runs it')
})
