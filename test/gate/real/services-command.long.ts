import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { conversationOf } from '../../scenarios/world/conversation.ts'
import { call, change, createFixture, type Fixture, plan, resultOf } from '../../scenarios/world/fixture.ts'
import { launch } from '../../scenarios/world/process.ts'
import { processesWith, until } from '../verifier-world.ts'
import { postgres } from './postgres.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const { timeoutSec: _, ...service } = postgres

async function given(services: readonly object[], more: { readonly steps?: object[]; readonly files?: object } = {}) {
  fixture = await createFixture(more.files === undefined ? {} : { files: more.files as Record<string, string> })
  const { steps = [{ name: 'test', command: 'true' }] } = more
  await fixture.write({ '.drydock/config.json': JSON.stringify({ verification: { steps, services } }) })
  await fixture.git('commit', '-qam', 'services')
}

/** Queries the database in the process of the tests. */
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
      callId: expect.anything(),
      tool: 'run_command',
      ok: true,
      output: expect.stringMatching(/^42\n/),
    })
    const log = 'logs/step-01-test.service-postgres.log'
    const verified = done.events.findLast(({ type }) => type === 'verification')
    const id = String(verified?.run_id)
    expect(await prompt('editor/task/CODING')).toContain('`$WITH_SERVICES <program> [arguments]` in a command')
    const { artifacts } = await fixture.open()
    const manifest = JSON.parse(await readFile(join(artifacts, 'runs', id, 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({
      status: 'PASS',
      hybrid: { status: 'held' },
      canaries: { status: 'heard' },
      integrity: { proof: { status: 'proven' } },
      hunks: { proven: 1, unproven: [], not_tried: 0 },
    })
    const report = await fixture.drydock('report')
    expect(report.stdout).toMatch(/service postgres: ready after [\d.]+ s/)
    const shown = await fixture.drydock('log', id)
    expect(shown.stderr).toMatch(new RegExp(`step test: service postgres: ready after .* s: /.*/${id}/${log}`))
    const receipt = await fixture.drydock('receipt', 'show', String(resultOf(done).branch))
    expect(receipt.stdout).toMatch(/- service postgres: ready after [\d.]+ s/)
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

test('`drydock verify` names a service that does not start, with the end of its log', async () => {
  await given([{ name: 'db', command: 'echo the disk is broken; exit 2', ports: [5432] }])
  const done = await fixture.drydock('verify')
  expect(done.exitCode).toBe(4)
  expect(done.stdout).toContain('service_failed: Service db did not come up: its command ended with exit code 2')
  expect(done.stdout).toContain('the disk is broken')
})
