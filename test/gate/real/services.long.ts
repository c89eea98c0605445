import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import { makeVerifierWorld, processesWith, until, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'
import { postgres } from './postgres.ts'

/** Answers each connection with its argument, and prints that. */
const server = `
const { createServer } = require('node:net')
const [, , port, word] = process.argv
createServer((socket) => socket.end(word)).listen(Number(port), '127.0.0.1', () => console.log(word, 'listens'))
`
/** Prints the answer of a server on the port. */
const asking = `
const { connect } = require('node:net')
connect(Number(process.argv[2]), '127.0.0.1').on('error', (error) => { console.log(error.code); process.exit(9) }).pipe(process.stdout)
`
/** Greets a client after all of its data, in two parts, and does not survive a reset connection. */
const greeter = `
const { createServer } = require('node:net')
createServer({ allowHalfOpen: true }, (socket) => {
  socket.resume().on('end', () => {
    socket.write('wel')
    setTimeout(() => socket.end('come'), 20)
  })
}).listen(7001, '127.0.0.1')
`
const node = process.execPath
/** No other processes on this machine have these words. */
const mark = { file: `server-${process.pid}.cjs`, seconds: 1_000_000 + process.pid }
const hello = { command: `${node} ${mark.file} 7001 hello`, ready: { ports: [7001] } }
const askHello = `${node} ask.cjs 7001`

let world: VerifierWorld
beforeAll(async () => {
  const files = { [mark.file]: server, 'ask.cjs': asking, 'greeter.cjs': greeter }
  world = await makeVerifierWorld({ 'value.txt': 'old\n', ...files })
})
afterAll(() => world.close())

const ask = (asked: VerifierInput) => world.ask({ readOnlyPaths: [node], ...asked })

describe('a service of the steps', () => {
  test('is a real PostgreSQL, empty for each step, which both reach by the variables that it names', async () => {
    const use = `psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -tAc 'create table once (id int); select 40 + 2'`
    const answer = await ask({
      services: [postgres],
      steps: [
        { name: 'first', command: use },
        { name: 'second', command: use },
      ],
    })
    const records = ['first', 'second'].map((step, i) => ({
      name: step,
      command: use,
      exit_code: 0,
      duration_ms: expect.any(Number),
      timed_out: false,
      services: [
        {
          name: 'postgres',
          ready_ms: expect.any(Number),
          exit_code: null,
          log: `logs/step-0${i + 1}-${step}.service-postgres.log`,
        },
      ],
    }))
    expect(answer).toMatchObject({ status: 'PASS', manifest: { commands_executed: records } })
    expect(answer.tail_log).toBe('CREATE TABLE\n42\nCREATE TABLE\n42')
    for (const { services } of records) {
      const log = services[0]?.log ?? ''
      expect(answer.artifact_paths).toContain(log)
      expect(world.read(answer.run_id, log)).toContain('database system is ready to accept connections')
    }
  })

  test('gives a red step no other exit code, whatever it does to the processes around it', async () => {
    for (const harm of ['kill -9 $PPID', 'kill -9 -1', 'sleep 0.2; kill -KILL 2', 'kill -TERM 1 2']) {
      const services = [{ ...hello, command: `(sleep 0.2; ${harm}) & exec ${hello.command}` }]
      const { status } = await ask({ services, steps: [{ command: 'sleep 0.6; exit 7' }] })
      expect([harm, status]).not.toContain('PASS')
    }
  })

  test('is not harmed by being asked whether it is ready', async () => {
    const services = [{ command: `${node} greeter.cjs`, ready: { ports: [7001] } }]
    const asks = `require('node:net').connect(7001, '127.0.0.1').end().pipe(process.stdout)`
    const answer = await ask({ services, steps: [{ command: `${node} -e "${asks}"` }] })
    expect(answer).toMatchObject({ status: 'PASS', tail_log: 'welcome' })
    expect(answer.manifest?.commands_executed[0]?.services).toMatchObject([{ exit_code: null }])
  })

  test('leaves the time of the step to the step', async () => {
    const services = [{ ...hello, command: `sleep 3.5; exec ${hello.command}` }]
    const answer = await ask({ services, steps: [{ command: 'true', timeoutSec: 3 }] })
    expect(answer).toMatchObject({ status: 'PASS' })
    const [ran] = answer.manifest?.commands_executed ?? []
    expect(ran?.services?.[0]?.ready_ms).toBeGreaterThan(3_500)
    const late = await ask({ services: [hello], steps: [{ command: 'sleep 60', timeoutSec: 1 }] })
    expect(late).toMatchObject({ status: 'FAIL', manifest: { commands_executed: [{ timed_out: true }] } })
  })

  test('may say more than its log holds', async () => {
    const services = [{ ...hello, command: `yes flood & exec ${hello.command}` }]
    const answer = await ask({ services, steps: [{ command: `sleep 0.5; ${askHello}` }] })
    expect(answer).toMatchObject({ status: 'PASS', tail_log: 'hello' })
    const log = world.read(answer.run_id, 'logs/step-01-test.service-server.log')
    expect(log.length).toBeLessThan(limits.logBytes + 1_000)
  })
})

describe('a service that does not start is an INFRA_ERROR with the end of its log', () => {
  const cases = {
    'it goes into the background': [{ command: `echo bye; (${hello.command} &)` }, 'ended with exit code 0', 'bye'],
    'it is never ready': [{ command: 'echo waiting; sleep 60', timeoutSec: 1 }, 'was not ready within 1 s', 'waiting'],
    'it ends': [{ command: 'echo no disk; exit 3' }, 'its command ended with exit code 3', 'no disk'],
    'its command is never ready': [
      { command: 'echo waiting; sleep 60', ready: { command: 'sleep 60' }, timeoutSec: 1 },
      'was not ready within 1 s',
      'waiting',
    ],
    'it ends what starts it': [{ command: 'echo mine; kill -9 $PPID; sleep 60' }, 'did not come up', 'mine'],
  } as const
  test.each(Object.entries(cases))('when %s', async (_, [service, why, said]) => {
    const answer = await ask({ services: [{ ...hello, ...service }], steps: [{ command: 'echo ran' }] })
    expect(answer).toMatchObject({ status: 'INFRA_ERROR', error_type: 'service_failed', tail_log: '' })
    expect(answer.error_message).toMatch(/^Service server did not come up: /)
    expect(answer.error_message).toContain(why)
    expect(answer.error_message).toContain('logs/step-01-test.service-server.log')
    expect(answer.error_message).toContain(said)
    expect(world.read(answer.run_id, 'logs/step-01-test.service-server.log')).toContain(said)
    expect(world.read(answer.run_id, 'logs/combined.log')).toBe('')
    expect(processesWith(mark.file)).toBe(0)
  })

  test('when one that was ready has ended before the others are', async () => {
    const first = { ...hello, name: 'first', command: `${hello.command} & sleep 0.5; kill $!` }
    const second = { name: 'second', command: 'sleep 1; exec sleep 60', ready: { command: 'sleep 1.2' } }
    const answer = await ask({ services: [first, second], steps: [{ command: 'echo ran' }] })
    expect(answer.error_message).toMatch(/^Service first did not come up: its command ended with exit code /)
  })
})

test('lines that a service needs to start are held by the tests behind it', async () => {
  const wordOf = (name: string) =>
    `require('node:net').createServer((socket) => socket.end(require('./words.cjs').${name}())).listen(7001, '127.0.0.1')\n`
  const started = `const word = require('./words.cjs')\n`
  const own = await makeVerifierWorld({
    'words.cjs': `exports.old = () => 'old'\n`,
    'server.cjs': started + wordOf('old'),
    'test/a.test.cjs': `const { test } = require('node:test')\ntest('says a word', () => {\n  require('node:assert').match(require('node:child_process').execFileSync(process.execPath, ['ask.cjs', '7001'], { encoding: 'utf8' }), /^[a-z]+$/)\n})\n`,
    'ask.cjs': asking,
  })
  onTestFinished(() => own.close())
  const commit = await own.commitChange({
    'words.cjs': `exports.old = () => 'old'\n\n\n\nexports.fresh = () => 'fresh'\n`,
    'server.cjs': `${started}word.fresh()\n${wordOf('fresh')}`,
  })
  const answer = await own.ask({
    readOnlyPaths: [node],
    services: [{ command: `${node} server.cjs`, ready: { ports: [7001] } }],
    steps: [{ command: `${node} --test --test-reporter=spec` }],
    purpose: 'change',
    assurance: 'full',
    commit,
  })
  expect(answer).toMatchObject({ status: 'PASS', manifest: { canaries: { status: 'heard' } } })
  // Without its second hunk the service starts with another word, which the test accepts.
  expect(answer.manifest?.hunks).toMatchObject({ proven: 1, not_tried: 0 })
})

test('a verification that is given up leaves no service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'given-up-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
  const stop = new AbortController()
  const services = [{ ...hello, command: `sleep ${mark.seconds} & exec ${hello.command}` }]
  const asked = ask({ services, steps: [{ command: 'sleep 60' }], signal: stop.signal })
  await until(() => processesWith(`sleep ${mark.seconds}`) > 0)
  stop.abort(new Error('given up'))
  await expect(asked).rejects.toThrow('given up')
  expect(processesWith(`sleep ${mark.seconds}`)).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})
