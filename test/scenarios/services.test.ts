import { afterEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { call, change, plan, resultOf } from './world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

async function given(services: readonly object[], more: { readonly steps?: object[]; readonly files?: object } = {}) {
  fixture = await createFixture(more.files === undefined ? {} : { files: more.files as Record<string, string> })
  const { steps = [{ name: 'test', command: 'true' }] } = more
  await fixture.write({ '.drydock/config.json': JSON.stringify({ verification: { steps, services } }) })
  await fixture.git('commit', '-qam', 'services')
}

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
